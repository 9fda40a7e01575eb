/* SPDX-License-Identifier: MIT
 *
 * threads DIR RULES MATERIAL COUNT: eight threads share tables, each with a reader of its own and a small cache, and
 * say what one thread says.
 */
#include "rmtb.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 8

typedef struct work {
    const rmtb_tables *tables;
    const char *material;
    int count;
    uint64_t sum;
} work;

static void *ask(void *user)
{
    work *w = (work *)user;
    uint64_t state = 88172645463325252u;
    rmtb_reader *reader;
    rmtb_result result;
    if (rmtb_reader_new(w->tables, 1 << 18, &reader)) return NULL;
    for (int nth = 0; nth < w->count; nth++) {
        rmtb_position p;
        int side = 0;
        memset(&p, 0, sizeof p);
        for (const char *man = w->material; *man; man++) {
            state ^= state << 13, state ^= state >> 7, state ^= state << 17;
            uint64_t square = (uint64_t)1 << (state & 63);
            if (*man == 'v') side = 1;
            else *(side ? &p.black : &p.white) |= square;
            if (*man == 'K') p.kings |= square;
            else if (*man == 'R') p.rooks |= square;
            else if (*man == 'N') p.knights |= square;
            else if (*man == 'P') p.pawns |= square;
        }
        p.turn = (int)(state >> 20 & 1);
        rmtb_error error = rmtb_probe(reader, &p, state >> 21 & 1 ? 507 : 0, &result);
        w->sum = w->sum * 31 + (uint64_t)(error ? (int)error : result.outcome * 1024 + result.distance);
    }
    rmtb_reader_free(reader);
    return NULL;
}

int main(int argc, char **argv)
{
    work each[THREADS + 1];
    pthread_t threads[THREADS];
    rmtb_tables *tables;
    if (argc != 5 || rmtb_open(argv[1], strcmp(argv[2], "wg") ? RMTB_R : RMTB_WG, &tables)) return 2;
    for (int nth = 0; nth <= THREADS; nth++) {
        work w = {tables, argv[3], atoi(argv[4]), 0};
        each[nth] = w;
    }
    ask(&each[THREADS]);
    for (int nth = 0; nth < THREADS; nth++)
        if (pthread_create(&threads[nth], NULL, ask, &each[nth])) return 2;
    for (int nth = 0; nth < THREADS; nth++) {
        pthread_join(threads[nth], NULL);
        if (each[nth].sum != each[THREADS].sum) return 1;
    }
    rmtb_close(tables);
    printf("%llu\n", (unsigned long long)each[THREADS].sum);
    return 0;
}
