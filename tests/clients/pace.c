/* SPDX-License-Identifier: MIT
 *
 * How long the C client takes: pace DIR MATERIAL COUNT. Random positions of this material, under the rules r, are asked
 * with nothing of the table in memory, then warm; without a record, and with one. A line has for each the median, in
 * microseconds, and the bytes that are in memory after the first ask.
 */
#define _POSIX_C_SOURCE 200809L
#include "rmtb.c" /* to forget what has been read */

#include <time.h>

static uint64_t seed = 88172645463325252u;

static uint64_t draw(void)
{
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return seed;
}

static rmtb_position draw_position(const lore *known, const char *material)
{
    for (;;) {
        rmtb_position p;
        board b;
        int side = 0;
        memset(&p, 0, sizeof p);
        for (const char *man = material; *man; man++) {
            uint64_t square = bit((int)(draw() & 63));
            if (*man == 'v') side = 1;
            else if (p.white & square || p.black & square) break;
            else *set_of(&p, (int)(strchr(LETTERS, *man) - LETTERS)) |= square, *(side ? &p.black : &p.white) |= square;
        }
        p.turn = (int)(draw() & 1);
        if (count_bits(p.white | p.black) == (int)strlen(material) - 1 && !to_board(known, &p, &b)) return p;
    }
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e6 * (double)time.tv_sec + 1e-3 * (double)time.tv_nsec;
}

/* Brings a file into the memory of the system. */
static void read_all(const rmtb_tables *tables, const char *material)
{
    static uint8_t bytes[1 << 16];
    for (int nth = 0; nth < tables->count; nth++) {
        const rmtb_source *source = &tables->list[nth]->source;
        if (strcmp(tables->list[nth]->material, material)) continue;
        for (uint64_t at = 0; at + sizeof bytes <= source->size; at += sizeof bytes)
            source->read(source->user, at, bytes, sizeof bytes);
    }
}

static int rises(const void *a, const void *b) { return *(const double *)a < *(const double *)b ? -1 : 1; }

int main(int argc, char **argv)
{
    rmtb_tables *tables;
    rmtb_reader *reader;
    int count = argc > 3 ? atoi(argv[3]) : 0;
    if (count < 1 || rmtb_open(argv[1], RMTB_R, &tables) || rmtb_reader_new(tables, (size_t)1 << 30, &reader)) return 1;
    read_all(tables, argv[2]);
    double *fresh = (double *)malloc((size_t)count * sizeof *fresh), *warm = (double *)malloc((size_t)count * sizeof *warm);
    for (int with_record = 0; with_record < 2; with_record++) {
        uint64_t bytes = 0;
        for (int nth = 0; nth < count; nth++) {
            rmtb_position position = draw_position(&tables->known, argv[2]);
            rmtb_result result;
            int record = with_record ? BASE - 2 - (int)(draw() % 20) : 0;
            if (draw() & 1) record = -record;
            while (reader->ring.newer != &reader->ring) drop(reader, reader->ring.newer);
            double before_ = now();
            if (rmtb_probe(reader, &position, record, &result)) return 1;
            fresh[nth] = now() - before_, bytes += reader->used, before_ = now();
            if (rmtb_probe(reader, &position, record, &result)) return 1;
            warm[nth] = now() - before_;
        }
        qsort(fresh, (size_t)count, sizeof *fresh, rises), qsort(warm, (size_t)count, sizeof *warm, rises);
        printf("%s %s: fresh %.1f, warm %.2f, %llu bytes\n", argv[2], with_record ? "record" : "none", fresh[count / 2],
               warm[count / 2], (unsigned long long)(bytes / (uint64_t)count));
    }
    free(fresh), free(warm);
    rmtb_reader_free(reader);
    rmtb_close(tables);
    return 0;
}
