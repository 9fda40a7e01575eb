/* SPDX-License-Identifier: MIT
 *
 * rmtb reads r-mobility endgame tables, as docs/format.md describes them. C99, and C++; it needs the C library alone.
 *
 *     rmtb_tables *tables; rmtb_reader *reader; rmtb_position position; rmtb_result result; int record;
 *     rmtb_open("tables", RMTB_R, &tables);
 *     rmtb_reader_new(tables, 64 << 20, &reader);
 *     rmtb_parse_fen("8/8/8/4KBk1/8/8/8/8 b - - 7 30 G3.5", RMTB_R, &position, &record);
 *     if (rmtb_probe(reader, &position, record, &result) == RMTB_OK) ...
 *
 * Threads. `rmtb_tables` does not change once it is filled: any number of threads share it. Each thread makes an
 * `rmtb_reader` of its own, which has the cache; so nothing waits for a lock. There is no global state. A probe of what
 * is in the cache allocates nothing.
 *
 * Outcomes. An outcome is a G-score and its holder in one integer: 512 - level if White holds it, level - 512 if Black
 * does, where level is twice the G-score. So more is better for White, 512 is mate by White, and 0 is no outcome. A
 * record is an outcome too; 0 stands for the position's own goal, as just after a capture or a pawn move.
 */
#ifndef RMTB_H
#define RMTB_H

#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
#define RMTB_VERSION "1.0.0"
#define RMTB_MEN 6         /* the most men of a position that is probed, kings included */
#define RMTB_MAX_MOVES 256 /* no position has more */

typedef enum rmtb_error {
    RMTB_OK = 0,
    RMTB_BAD_FEN,     /* the text is no FEN */
    RMTB_BAD_RECORD,  /* no game goes on under such a record, or the text is none */
    RMTB_ILLEGAL,     /* the position is illegal, or its bitboards contradict each other */
    RMTB_CASTLING,    /* tables know no castling */
    RMTB_TOO_MANY,    /* tables have six men at most */
    RMTB_MISSING,     /* the position, or one that it leads to, is in a table that is not there */
    RMTB_DAMAGED,     /* a checksum or a size in a file is wrong, or what it says contradicts itself */
    RMTB_UNSUPPORTED, /* a file is a table of another format, of other rules or other men, or a local one */
    RMTB_NO_FILE,     /* a file or directory cannot be opened */
    RMTB_READ,        /* a file cannot be read */
    RMTB_MEMORY       /* there is not enough memory */
} rmtb_error;

typedef enum rmtb_rules {
    RMTB_R, /* captures and pawn moves reset the record: KRvKN.r.h5 */
    RMTB_WG /* nothing does: KRvKN.wg.h5 */
} rmtb_rules;
/* A position as Fathom takes it. Squares are 0 = a1, 1 = b1 ... 63 = h8. */
typedef struct rmtb_position {
    uint64_t white, black, kings, queens, rooks, bishops, knights, pawns;
    unsigned castling; /* 0, or the position cannot be probed */
    unsigned ep;       /* the square that a pawn has just passed in a double step; 0: none */
    int turn;          /* 1: White is to move; 0: Black */
} rmtb_position;

typedef struct rmtb_result {
    int outcome;  /* with best play of both sides */
    int distance; /* plies until the goal that decides is on the board; 0: the record stands */
    int record;   /* what stands now, the position's own goal counted in */
} rmtb_result;

typedef struct rmtb_move {
    uint8_t from, to;
    char promotion; /* 'q', 'r', 'b', 'n', or 0 */
    uint8_t reset;  /* whether it starts a new record */
    int outcome, distance;
    int record;       /* the record after the move */
    rmtb_error error; /* where this is not RMTB_OK, nothing is known of the move but from, to, promotion and reset */
} rmtb_move;

/* What a table is read from, if it is no file. `read` fills the buffer, or returns something that is not 0; several
 * threads call it at once. `close` may be NULL; it is called by rmtb_close, and where rmtb_add_source fails. */
typedef struct rmtb_source {
    void *user;
    uint64_t size;
    int (*read)(void *user, uint64_t offset, void *buffer, size_t length);
    void (*close)(void *user);
} rmtb_source;

typedef struct rmtb_tables rmtb_tables;
typedef struct rmtb_reader rmtb_reader;

/* All tables of a directory that have these rules. A damaged one is an error when it is asked, not here. */
rmtb_error rmtb_open(const char *directory, rmtb_rules rules, rmtb_tables **tables);
/* The same in steps: no tables, those of a directory, one more. A whole table takes the place of a slim one, and the
 * first of two alike counts. Nothing may be added once there is a reader, and readers are freed before tables. */
rmtb_error rmtb_new(rmtb_rules rules, rmtb_tables **tables);
rmtb_error rmtb_add_directory(rmtb_tables *tables, const char *directory);
rmtb_error rmtb_add_source(rmtb_tables *tables, const rmtb_source *source);
void rmtb_close(rmtb_tables *tables);
/* The most men of a table. */
int rmtb_largest(const rmtb_tables *tables);

/* A reader for one thread, whose cache has about `budget` bytes: 16 MB are enough, 1 GB is not too much. */
rmtb_error rmtb_reader_new(const rmtb_tables *tables, size_t budget, rmtb_reader **reader);
void rmtb_reader_free(rmtb_reader *reader);
/* What a position is worth under a record. */
rmtb_error rmtb_probe(rmtb_reader *reader, const rmtb_position *position, int record, rmtb_result *result);
/* All legal moves, best first: of equal outcomes that better or keep the record for the side to move the nearest, of
 * worse ones the farthest, then by name. Moves that are unknown come last; an error of one of them is returned. */
rmtb_error rmtb_moves(rmtb_reader *reader, const rmtb_position *position, int record, rmtb_move moves[RMTB_MAX_MOVES],
                      int *count);

/* A FEN of two to seven fields; the seventh is the record, which counts for nothing where the halfmove clock is 0
 * (under RMTB_R). `record` becomes 0 where there is none. */
rmtb_error rmtb_parse_fen(const char *fen, rmtb_rules rules, rmtb_position *position, int *record);
/* "G3.5" where White holds it, "-G3.5" where Black does. */
rmtb_error rmtb_parse_record(const char *text, int *record);
void rmtb_text(int outcome, char text[8]);
/* "e7e8q". */
void rmtb_move_text(const rmtb_move *move, char text[6]);
/* The goal that a position scores by itself, of any number of men; moves to castle are not counted. */
rmtb_error rmtb_goal(const rmtb_tables *tables, const rmtb_position *position, int *goal);
/* What an error is, in English. */
const char *rmtb_strerror(rmtb_error error);
#ifdef __cplusplus
}
#endif
#endif
