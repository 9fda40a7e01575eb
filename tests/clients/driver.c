/* SPDX-License-Identifier: MIT
 *
 * What the tests ask the C client for: driver DIR RULES [BUDGET] < LINES. A line is a FEN of six fields, a tab, and a
 * record or "-"; with a tab and "m" behind it all moves are told too, with "e" what the table has, with "g" the own goal.
 */
#include "rmtb.c" /* to look at what no probe tells: numbers and steps */

static void tell_moves(rmtb_reader *reader, const rmtb_position *position, int record)
{
    rmtb_move moves[RMTB_MAX_MOVES];
    char name[6];
    int count;
    rmtb_error error = rmtb_moves(reader, position, record, moves, &count);
    printf(" %d %d", (int)error, count);
    for (int nth = 0; nth < count; nth++) {
        rmtb_move_text(&moves[nth], name);
        printf(" %s %d %d %d %d %d", name, (int)moves[nth].error, moves[nth].outcome, moves[nth].distance,
               moves[nth].reset, moves[nth].record);
    }
}

static void tell_entry(rmtb_reader *reader, const rmtb_position *position)
{
    board b;
    entry e;
    const table *t;
    uint64_t number;
    int first;
    rmtb_error error = check(reader, position, 0, &b);
    if (!error && has_right(&reader->all->known, &b)) error = RMTB_MISSING;
    if (!error) error = locate(reader, &b, &t, &first, &number);
    if (!error) error = look(reader, t, number, 0, &e);
    printf(" %d", (int)error);
    if (error) return;
    printf(" %s %d %llu %d %d %d", t->material, !first, (unsigned long long)number, e.outcome, e.distance, e.count);
    for (int nth = 0; nth < e.count; nth++)
        printf(" %d %d %d %d", e.steps[nth].holder, e.steps[nth].level, e.steps[nth].outcome, e.steps[nth].distance);
}

int main(int argc, char **argv)
{
    rmtb_rules rules = argc > 2 && !strcmp(argv[2], "wg") ? RMTB_WG : RMTB_R;
    size_t budget = argc > 3 ? (size_t)atol(argv[3]) : (size_t)64 << 20;
    rmtb_tables *tables;
    rmtb_reader *reader;
    static char line[1024];
    rmtb_error error = argc < 2 ? RMTB_NO_FILE : rmtb_open(argv[1], rules, &tables);
    if (error || rmtb_reader_new(tables, budget, &reader)) {
        printf("%d\n", (int)error);
        return 1;
    }
    while (fgets(line, sizeof line, stdin)) {
        rmtb_position position;
        rmtb_result result = {0, 0, 0};
        int of_fen, record = 0, goal = 0;
        char *given = strchr(line, '\t'), *wants = given ? strchr(given + 1, '\t') : NULL;
        line[strcspn(line, "\n")] = 0;
        if (given) *given++ = 0;
        if (wants) *wants++ = 0;
        error = rmtb_parse_fen(line, rules, &position, &of_fen);
        if (!error && given && strcmp(given, "-")) error = rmtb_parse_record(given, &record);
        if (!record) record = of_fen;
        if (!error) error = rmtb_probe(reader, &position, record, &result);
        printf("%d %d %d %d", (int)error, result.outcome, result.distance, result.record);
        if (wants && strchr(wants, 'm')) tell_moves(reader, &position, record);
        if (wants && strchr(wants, 'e')) tell_entry(reader, &position);
        if (wants && strchr(wants, 'g')) {
            error = rmtb_goal(tables, &position, &goal);
            printf(" %d %d", (int)error, goal);
        }
        printf("\n");
    }
    rmtb_reader_free(reader);
    rmtb_close(tables);
    return 0;
}
