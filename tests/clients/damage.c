/* SPDX-License-Identifier: MIT
 *
 * damage DIR RULES MATERIAL FILE COUNT SEED: a table is damaged COUNT times, and asked for positions each time. What is
 * said must be an error, or what the sound table says. Compiled with FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION, checksums
 * count for nothing, as in a file that somebody has forged: then anything may be said.
 */
#include "rmtb.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POSITIONS 40

typedef struct bytes {
    unsigned char *at;
    size_t size;
} bytes;

static uint64_t state;

static uint64_t draw(uint64_t below)
{
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state % below;
}

static int read_bytes(void *user, uint64_t offset, void *buffer, size_t length)
{
    const bytes *all = (const bytes *)user;
    if (offset > all->size || length > all->size - offset) return 1;
    memcpy(buffer, all->at + offset, length);
    return 0;
}

static void place(const char *material, rmtb_position *p)
{
    uint64_t all = 0;
    int side = 0;
    memset(p, 0, sizeof *p);
    for (; *material; material++) {
        int square;
        if (*material == 'v') {
            side = 1;
            continue;
        }
        do square = (int)draw(64);
        while (all >> square & 1 || (*material == 'P' && (square < 8 || square > 55)));
        all |= (uint64_t)1 << square;
        *(side ? &p->black : &p->white) |= (uint64_t)1 << square;
        *(*material == 'K'   ? &p->kings
          : *material == 'Q' ? &p->queens
          : *material == 'R' ? &p->rooks
          : *material == 'B' ? &p->bishops
          : *material == 'N' ? &p->knights
                             : &p->pawns) |= (uint64_t)1 << square;
    }
    p->turn = (int)draw(2);
}

/* Anything that may happen to a file; its head more often than its share of the bytes. */
static void damage(bytes *b, size_t size)
{
    for (int times = 1 + (int)draw(3); times--;) {
        size_t at = (size_t)draw(draw(3) ? size : 1200 < size ? 1200 : size), run = 1 + (size_t)draw(64);
        if (run > size - at) run = size - at;
        switch (draw(6)) {
        case 0: b->at[at] ^= (unsigned char)(1 << draw(8)); break;
        case 1: b->at[at] = (unsigned char)draw(256); break;
        case 2: memset(b->at + at, (int)draw(2) * 255, run); break;
        case 3: memmove(b->at + at, b->at + draw(size - run + 1), run); break;
        case 4: if (!draw(8)) b->size = (size_t)draw(size + 1); break;
        default:
            while (at < size && (b->at[at] < '0' || b->at[at] > '9')) at++;
            if (at < size) b->at[at] = (unsigned char)('0' + draw(10));
        }
    }
}

int main(int argc, char **argv)
{
    rmtb_position positions[POSITIONS];
    rmtb_result right[POSITIONS], found;
    int records[POSITIONS], errors = 0, answers = 0, count;
    rmtb_move moves[RMTB_MAX_MOVES];
    rmtb_tables *tables;
    rmtb_reader *reader;
    FILE *file = argc == 7 ? fopen(argv[4], "rb") : NULL;
    if (!file) return 2;
    rmtb_rules rules = strcmp(argv[2], "wg") ? RMTB_R : RMTB_WG;
    static unsigned char sound[1 << 24], changed[1 << 24];
    size_t size = fread(sound, 1, sizeof sound, file);
    fclose(file);
    state = strtoull(argv[6], NULL, 10) * 2654435761u + 88172645463325252u;
    if (rmtb_open(argv[1], rules, &tables) || rmtb_reader_new(tables, 1 << 20, &reader)) return 2;
    for (int nth = 0; nth < POSITIONS;) {
        place(argv[3], &positions[nth]);
        records[nth] = draw(2) ? 0 : (int)(draw(2) ? 1 : -1) * (510 - (int)draw(20));
        nth += rmtb_probe(reader, &positions[nth], records[nth], &right[nth]) == RMTB_OK;
    }
    rmtb_reader_free(reader);
    rmtb_close(tables);
    for (int times = atoi(argv[5]); times--;) {
        bytes all = {changed, size};
        rmtb_source source = {&all, 0, read_bytes, NULL};
        memcpy(changed, sound, size);
        damage(&all, size);
        source.size = all.size;
        if (rmtb_new(rules, &tables)) return 2;
        if (rmtb_add_source(tables, &source)) {
            errors++;
            rmtb_close(tables);
            continue;
        }
        if (rmtb_add_directory(tables, argv[1]) || rmtb_reader_new(tables, 1 << 18, &reader)) return 2;
        for (int nth = 0; nth < POSITIONS; nth++) {
            rmtb_error error = rmtb_probe(reader, &positions[nth], records[nth], &found);
            if (error) {
                errors++;
                continue;
            }
            answers++;
#ifndef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
            if (found.outcome != right[nth].outcome || found.distance != right[nth].distance || found.record != right[nth].record) {
                printf("wrong: %d in %d, not %d in %d\n", found.outcome, found.distance, right[nth].outcome, right[nth].distance);
                return 1;
            }
#endif
        }
        rmtb_moves(reader, &positions[0], records[0], moves, &count);
        rmtb_reader_free(reader);
        rmtb_close(tables);
    }
    printf("%d %d\n", errors, answers);
    return 0;
}
