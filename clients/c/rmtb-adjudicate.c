/* SPDX-License-Identifier: MIT
 *
 * rmtb-adjudicate [--json] [--moves] [--rules wg] DIR: FENs from standard input, one a line, with the record as seventh
 * field; for each a line that says what it is worth, for an empty line none. Ends with 1 if one could not be answered, with 2 if nothing could.
 */
#include "rmtb.h"

#include <stdio.h>
#include <string.h>

enum { LINE = 1024 };
typedef struct options { int json, moves; rmtb_rules rules; const char *directory; } options;

static int read_options(int count, char **words, options *o) {
    for (int nth = 1; nth < count; nth++) {
        if (!strcmp(words[nth], "--json")) o->json = 1;
        else if (!strcmp(words[nth], "--moves")) o->moves = 1;
        else if (!strcmp(words[nth], "--rules") && nth + 1 < count && !strcmp(words[nth + 1], "r")) nth++;
        else if (!strcmp(words[nth], "--rules") && nth + 1 < count && !strcmp(words[nth + 1], "wg")) o->rules = RMTB_WG, nth++;
        else if (words[nth][0] != '-' && !o->directory) o->directory = words[nth];
        else return 0;
    }
    return o->directory != NULL;
}

/* Reads a line without its end; 0 at the end of the input. What may not go to a terminal is written as an escape, such as
 * \x1b, which no FEN has, and a tab as a space. The rest of a line that is too long for a FEN is left out. */
static int read_line(char line[LINE]) {
    static const char digits[] = "0123456789abcdef";
    int length = 0, is_long = 0, c = getchar(), next;
    if (c == EOF) return 0;
    for (; c != '\n' && c != EOF; c = next) {
        next = getchar();
        if (c == '\r' && (next == '\n' || next == EOF)) continue;
        if (length > LINE - 5) is_long = 1;
        else if (c == '\t') line[length++] = ' ';
        else if (c >= ' ' && c <= '~') line[length++] = (char)c;
        else line[length++] = '\\', line[length++] = 'x', line[length++] = digits[c >> 4 & 15], line[length++] = digits[c & 15];
    }
    line[length] = 0;
    if (is_long) line[0] = '?';
    return 1;
}

/* A text of JSON. */
static void print_quoted(const char *text) {
    putchar('"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') putchar('\\');
        putchar(*text);
    }
    putchar('"');
}

static void tell_error(const options *o, const char *fen, rmtb_error error) {
    if (!o->json) {
        printf("%s: %s\n", fen, rmtb_strerror(error));
        return;
    }
    printf("{\"fen\": ");
    print_quoted(fen);
    printf(", \"error\": \"%s\", \"code\": %d}\n", rmtb_strerror(error), (int)error);
}

static void tell_text(const options *o, const char *fen, const rmtb_result *result, const rmtb_move *moves, int count) {
    char worth[8], record[8], name[6];
    rmtb_text(result->outcome, worth);
    rmtb_text(result->record, record);
    printf("%s: %s", fen, worth);
    if (result->distance) printf(" in %d, record %s", result->distance, record);
    else printf(" stands");
    for (int nth = 0; nth < count && (nth == 0 || o->moves) && !moves[nth].error; nth++) {
        rmtb_move_text(&moves[nth], name);
        rmtb_text(moves[nth].outcome, worth);
        printf("%s %s", nth ? "," : ", best", name);
        if (o->moves) printf(" %s %d", worth, moves[nth].distance);
    }
    printf("\n");
}

static void tell_json(const options *o, const char *fen, const rmtb_result *result, const rmtb_move *moves, int count) {
    char worth[8], record[8], name[6];
    rmtb_text(result->outcome, worth);
    rmtb_text(result->record, record);
    printf("{\"fen\": ");
    print_quoted(fen);
    printf(", \"gscore\": \"%s\", \"winner\": \"%s\", \"dtg\": %d, \"record\": \"%s\", \"stands\": %s", worth,
           result->outcome > 0 ? "white" : "black", result->distance, record,
           result->outcome == result->record ? "true" : "false");
    if (o->moves) printf(", \"moves\": [");
    for (int nth = 0; o->moves && nth < count; nth++) {
        rmtb_move_text(&moves[nth], name);
        rmtb_text(moves[nth].outcome, worth);
        rmtb_text(moves[nth].record, record);
        printf("%s{\"uci\": \"%s\", \"reset\": %s", nth ? ", " : "", name, moves[nth].reset ? "true" : "false");
        if (moves[nth].error) printf(", \"error\": \"%s\"}", rmtb_strerror(moves[nth].error));
        else printf(", \"gscore\": \"%s\", \"dtg\": %d, \"record\": \"%s\"}", worth, moves[nth].distance, record);
    }
    printf("%s}\n", o->moves ? "]" : "");
}

static rmtb_error answer(rmtb_reader *reader, const options *o, const char *fen) {
    rmtb_position position;
    rmtb_result result;
    rmtb_move moves[RMTB_MAX_MOVES];
    int record, count = 0;
    rmtb_error error = rmtb_parse_fen(fen, o->rules, &position, &record);
    if (!error) error = rmtb_probe(reader, &position, record, &result);
    if (error) {
        tell_error(o, fen, error);
        return error;
    }
    /* A move that leads to a table that is not there may be the best one. */
    if (rmtb_moves(reader, &position, record, moves, &count) && !o->moves) count = 0;
    (o->json ? tell_json : tell_text)(o, fen, &result, moves, count);
    return RMTB_OK;
}

int main(int count, char **words) {
    options o = {0, 0, RMTB_R, NULL};
    char line[LINE];
    rmtb_tables *tables;
    rmtb_reader *reader;
    int code = 0;
    if (!read_options(count, words, &o)) {
        fprintf(stderr, "rmtb-adjudicate [--json] [--moves] [--rules wg] DIR < FENS\n");
        return 2;
    }
    rmtb_error error = rmtb_open(o.directory, o.rules, &tables);
    if (!error) error = rmtb_reader_new(tables, (size_t)64 << 20, &reader);
    if (error) {
        fprintf(stderr, "rmtb-adjudicate: %s: %s\n", o.directory, rmtb_strerror(error));
        return 2;
    }
    while (read_line(line)) {
        if (!line[0]) continue;
        if (answer(reader, &o, line)) code = 1;
        fflush(stdout);
    }
    rmtb_reader_free(reader);
    rmtb_close(tables);
    return code;
}
