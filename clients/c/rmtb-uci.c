/* SPDX-License-Identifier: MIT
 *
 * rmtb-uci DIR -- ENGINE [ARGUMENTS]: a UCI engine that passes everything on to another one and back, but answers `go`
 * itself where tables have the position. The record since the last reset is kept from `position ... moves ...`; a FEN
 * may have it as its seventh field. POSIX. Rules: r.
 */
#define _POSIX_C_SOURCE 200809L
#include "rmtb.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LINE = 1 << 16 };

typedef struct game {
    rmtb_position position;
    uint64_t rights; /* the rooks that may still castle */
    int record;      /* 0: it is not known */
} game;

/* Lines as they come in pieces. */
typedef struct input {
    int file, count, is_open;
    char text[LINE + 1];
} input;

static void put(int file, const char *text) {
    for (size_t left = strlen(text); left;) {
        ssize_t written = write(file, text, left);
        if (written <= 0) return; /* it has gone; reading from it will tell */
        text += written, left -= (size_t)written;
    }
}

static int level_of(int outcome) { return 512 - abs(outcome); }

/* --- the game -------------------------------------------------------------------------------------------------- */

static uint64_t bit(int square) { return (uint64_t)1 << square; }

static uint64_t read_rights(const char *field, const rmtb_position *p) {
    uint64_t found = 0;
    for (; *field && *field != ' '; field++) {
        int black = *field >= 'a', file = *field & 31; /* 1 is the a-file */
        if (*field == '-') continue;
        file = (*field & ~32) == 'K' ? 7 : (*field & ~32) == 'Q' ? 0 : file - 1;
        found |= bit(file + (black ? 56 : 0));
    }
    return found & p->rooks;
}

static uint64_t *set_of(rmtb_position *p, uint64_t square) {
    uint64_t *const sets[] = {&p->kings, &p->queens, &p->rooks, &p->bishops, &p->knights, &p->pawns};
    for (int kind = 0; kind < 6; kind++)
        if (*sets[kind] & square) return sets[kind];
    return NULL;
}

static void remove_man(rmtb_position *p, uint64_t square) {
    uint64_t *set = set_of(p, square);
    if (set) *set &= ~square;
    p->white &= ~square, p->black &= ~square;
}

/* Makes a move, such as e7e8q, which the GUI has found legal. Returns 1 for a capture or a pawn move, 0 for another one,
 * -1 for what is no move. */
static int play(game *g, const char *move) {
    rmtb_position *p = &g->position;
    size_t length = strcspn(move, " ");
    if (length < 4 || length > 5) return -1;
    for (int nth = 0; nth < 4; nth++)
        if (move[nth] < (nth & 1 ? '1' : 'a') || move[nth] > (nth & 1 ? '8' : 'h')) return -1;
    int from = move[0] - 'a' + 8 * (move[1] - '1'), to = move[2] - 'a' + 8 * (move[3] - '1');
    uint64_t *ours = p->turn ? &p->white : &p->black, all = p->white | p->black, *kind = set_of(p, bit(from));
    if (!(*ours & bit(from)) || from == to) return -1;
    int is_pawn = kind == &p->pawns, is_king = kind == &p->kings, right = to > from;
    int castles = is_king && ((*ours & bit(to)) || abs((from & 7) - (to & 7)) == 2);
    int reset = is_pawn || (!castles && all & bit(to));
    uint64_t rook = !castles ? 0 : *ours & bit(to) ? bit(to) : bit((from & 56) + (right ? 7 : 0));
    if (is_pawn && p->ep && to == (int)p->ep) remove_man(p, bit(to ^ 8));
    g->rights &= ~(bit(from) | bit(to) | (is_king ? (uint64_t)255 << (from & 56) : 0));
    remove_man(p, bit(from));
    remove_man(p, castles ? rook : bit(to));
    if (castles) {
        to = (from & 56) + (right ? 6 : 2);
        p->rooks |= bit(right ? to - 1 : to + 1), *ours |= bit(right ? to - 1 : to + 1);
    }
    if (length == 5) kind = move[4] == 'q' ? &p->queens : move[4] == 'r' ? &p->rooks : move[4] == 'b' ? &p->bishops : &p->knights;
    *kind |= bit(to), *ours |= bit(to);
    p->ep = is_pawn && (from ^ to) == 16 ? (unsigned)(from + to) / 2 : 0;
    p->turn = !p->turn;
    return reset;
}

/* Counts the goal of the position in. Moves to castle are in no goal that we know. */
static void count_goal(const rmtb_tables *tables, game *g, int is_first) {
    int goal;
    g->position.castling = g->rights != 0;
    if (g->rights || rmtb_goal(tables, &g->position, &goal)) g->record = 0;
    else if (is_first || (g->record && level_of(goal) < level_of(g->record))) g->record = goal;
}

/* `position startpos moves ...`, `position fen ... moves ...` */
static void read_position(const rmtb_tables *tables, const char *line, game *g) {
    static const char start[] = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    char fen[256];
    const char *moves = strstr(line, " moves"), *from = strstr(line, " fen ");
    int given;
    memset(g, 0, sizeof *g);
    if (!moves) moves = line + strlen(line);
    if (from && from < moves && moves - from - 5 < (int)sizeof fen) {
        memcpy(fen, from + 5, (size_t)(moves - from - 5));
        fen[moves - from - 5] = 0;
    } else {
        strcpy(fen, start);
    }
    if (rmtb_parse_fen(fen, RMTB_R, &g->position, &given)) return;
    const char *rights = strchr(fen, ' ');
    if (rights) rights = strchr(rights + 1, ' ');
    g->rights = rights ? read_rights(rights + 1, &g->position) : 0;
    count_goal(tables, g, 1);
    if (given && g->record && level_of(given) <= level_of(g->record)) g->record = given;
    for (const char *at = *moves ? moves + 6 : moves; at += strspn(at, " "), *at; at += strcspn(at, " ")) {
        int reset = play(g, at);
        if (reset < 0) {
            g->record = 0;
            return;
        }
        count_goal(tables, g, reset);
    }
}

/* --- answers --------------------------------------------------------------------------------------------------- */

/* Halved for each level. */
static int centipawns(int outcome) { return level_of(outcome) > 10 ? 0 : (outcome < 0 ? -1000 : 1000) / (1 << level_of(outcome)); }

/* What tables say of `go`, as info and bestmove; 0 if they do not know. */
static int answer(rmtb_reader *reader, const game *g, char *info, char *best) {
    rmtb_result result;
    rmtb_move moves[RMTB_MAX_MOVES];
    char name[6], worth[8], record[8], score[32];
    int count;
    if (!g->record || rmtb_probe(reader, &g->position, g->record, &result)) return 0;
    if (rmtb_moves(reader, &g->position, g->record, moves, &count) || !count) return 0;
    int relative = g->position.turn ? result.outcome : -result.outcome;
    rmtb_move_text(&moves[0], name);
    rmtb_text(result.outcome, worth);
    rmtb_text(result.record, record);
    if (abs(relative) == 512) sprintf(score, "mate %d", (relative > 0 ? result.distance + 1 : -result.distance) / 2);
    else sprintf(score, "cp %d", centipawns(relative));
    sprintf(info, "info string %s in %d plies, record %s\ninfo depth %d score %s pv %s\n", worth, result.distance, record,
            result.distance ? result.distance : 1, score, name);
    sprintf(best, "bestmove %s\n", name);
    return 1;
}

/* --- between GUI and engine ------------------------------------------------------------------------------------ */

static int start(char **command, int *to, input *from) {
    int down[2], up[2];
    if (pipe(down) || pipe(up)) return -1;
    int child = (int)fork();
    if (child == 0) {
        dup2(down[0], 0), dup2(up[1], 1);
        close(down[0]), close(down[1]), close(up[0]), close(up[1]);
        execvp(command[0], command);
        perror(command[0]);
        _exit(127);
    }
    close(down[0]), close(up[1]);
    *to = down[1], from->file = up[0], from->is_open = 1, from->count = 0;
    return child;
}

/* Reads what is there, with a space for each NUL. What is too long for a line is passed on in pieces. */
static void fill(input *in) {
    ssize_t got = read(in->file, in->text + in->count, (size_t)(LINE - in->count));
    if (got <= 0) in->is_open = 0;
    for (; got > 0; got--, in->count++)
        if (!in->text[in->count]) in->text[in->count] = ' ';
}

/* The next whole line with its end; 0 if there is none. */
static int next_line(input *in, char *line) {
    char *end = (char *)memchr(in->text, '\n', (size_t)in->count);
    int length = end ? (int)(end - in->text) + 1 : in->count == LINE || !in->is_open ? in->count : 0;
    if (!length) return 0;
    memcpy(line, in->text, (size_t)length);
    line[length] = 0;
    memmove(in->text, in->text + length, (size_t)(in->count -= length));
    return 1;
}

/* Copies a line with one space between words, whatever stands there, and none at its ends. */
static void copy_words(char *to, const char *line) {
    static const char blank[] = " \t\r\n\v\f";
    char *begin = to;
    for (line += strspn(line, blank); *line; line += strspn(line, blank)) {
        size_t length = strcspn(line, blank);
        if (to > begin) *to++ = ' ';
        memcpy(to, line, length);
        to += length, line += length;
    }
    *to = 0;
}

static int is_word(const char *line, const char *word) {
    size_t length = strlen(word);
    return !strncmp(line, word, length) && (line[length] == ' ' || !line[length]);
}

/* One line of the GUI's. `held` is an answer that waits for `stop`. */
static void hear(const rmtb_tables *tables, rmtb_reader *reader, game *g, char *line, char *held, int engine) {
    char info[256], plain[LINE + 1];
    copy_words(plain, line);
    if (is_word(plain, "position")) read_position(tables, plain, g);
    if (is_word(plain, "go") && !strstr(plain, " searchmoves") && !strstr(plain, " mate") && answer(reader, g, info, held)) {
        put(1, info);
        if (strstr(plain, " infinite") || strstr(plain, " ponder")) return;
        put(1, held);
        held[0] = 0;
    } else if (held[0] && (is_word(plain, "stop") || is_word(plain, "ponderhit"))) {
        put(1, held);
        held[0] = 0;
    } else {
        put(engine, line);
    }
}

int main(int count, char **words) {
    static input gui, engine;
    static char line[LINE + 1];
    rmtb_tables *tables;
    rmtb_reader *reader;
    game g;
    char held[32] = "";
    int to, status;
    if (count < 4 || strcmp(words[2], "--")) {
        fprintf(stderr, "rmtb-uci DIR -- ENGINE [ARGUMENTS]\n");
        return 2;
    }
    rmtb_error error = rmtb_open(words[1], RMTB_R, &tables);
    if (!error) error = rmtb_reader_new(tables, (size_t)64 << 20, &reader);
    if (error) {
        fprintf(stderr, "rmtb-uci: %s: %s\n", words[1], rmtb_strerror(error));
        return 2;
    }
    signal(SIGPIPE, SIG_IGN);
    int child = start(words + 3, &to, &engine);
    if (child < 0) return 2;
    gui.is_open = 1;
    memset(&g, 0, sizeof g);
    read_position(tables, "position startpos", &g);
    while (engine.is_open) {
        struct pollfd files[2] = {{engine.file, POLLIN, 0}, {gui.is_open ? 0 : -1, POLLIN, 0}};
        if (poll(files, 2, -1) < 0) break;
        if (files[0].revents) fill(&engine);
        if (files[1].revents) fill(&gui);
        while (next_line(&engine, line)) put(1, line);
        while (next_line(&gui, line)) hear(tables, reader, &g, line, held, to);
        if (!gui.is_open && to >= 0) close(to), to = -1;
    }
    if (to >= 0) close(to);
    waitpid(child, &status, 0);
    rmtb_reader_free(reader);
    rmtb_close(tables);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
