/* SPDX-License-Identifier: MIT
 *
 * rmtb-verify [-j THREADS] [--digests LIST] FILE...: whether whole tables are right. Every number's position is set up, and its moves are
 * made by a generator of this file's own; its level counts them. For each record that can stand there, levels 2 to its
 * own in either side's hands, the table's outcome and distance must be what the best move makes of it:
 *
 *     a capture or a pawn move pays the fresh outcome of where it leads, one ply later;
 *     a quiet move pays what the table says there, under the same record, one ply later; or the record stands.
 *
 * docs/theory.md proves that one table alone passes. Between two levels at which some part of this changes all records
 * are alike: one is looked at. Tables that captures and promotions lead to are in the file's directory, and believed.
 * The head's count of legal positions, its SHA-256, and all checksums are compared; the digest of the contents is told, and
 * compared with that of a list.
 */
#define _POSIX_C_SOURCE 200809L
#include "rmtb.c" /* to read files: nothing of its moves */

#include <pthread.h>

enum { MAX_MOVES = 256, LEVELS = 256 };

#ifdef __GNUC__
#define FETCH(place) __builtin_prefetch(place)
#else
#define FETCH(place) (void)(place)
#endif

static void fail(const char *why, const char *what) {
    fprintf(stderr, "rmtb-verify: %s%s%s\n", what, *what ? ": " : "", why);
    exit(2);
}

static void *need(size_t count, size_t size) {
    void *found = calloc(count ? count : 1, size);
    if (!found) fail("there is not enough memory", "");
    return found;
}

/* --- SHA-256 --------------------------------------------------------------------------------------------------- */

typedef struct sha { uint32_t state[8]; uint64_t length; uint8_t block[64]; } sha;

static uint32_t sha_round[64];

/* The first 32 bits behind the point of a root of each of the first primes. */
static void learn_sha(uint32_t first[8]) {
    for (int found = 0, n = 2; found < 64; n++) {
        int is_prime = 1;
        for (int d = 2; d * d <= n; d++) is_prime &= n % d != 0;
        if (!is_prime) continue;
        for (int root = 2; root <= 3; root++) {
            uint64_t low = 0; /* the largest x with (x / 2^32)^root <= n, bit by bit */
            for (int b = 36; b--;) {
                uint64_t x = low | (uint64_t)1 << b;
                /* x^root <= n * 2^(32 root), in parts of 32 bits */
                uint64_t part[4] = {1, 0, 0, 0};
                for (int times = 0; times < root; times++) {
                    uint64_t wide[4] = {0, 0, 0, 0}, xs[2] = {x & 0xffffffffu, x >> 32};
                    for (int i = 0; i < 4; i++)
                        for (int j = 0; j < 2 && i + j < 4; j++) {
                            uint64_t product = part[i] * xs[j];
                            int at = i + j;
                            while (product && at < 4) {
                                uint64_t sum = wide[at] + (product & 0xffffffffu);
                                wide[at] = sum & 0xffffffffu;
                                product = (product >> 32) + (sum >> 32);
                                at++;
                            }
                        }
                    memcpy(part, wide, sizeof part);
                }
                uint64_t whole = root == 2 ? part[2] | part[3] << 32 : part[3];
                int below = root == 2 ? part[0] || part[1] : part[0] || part[1] || part[2];
                if (whole < (uint64_t)n || (whole == (uint64_t)n && !below)) low = x;
            }
            if (root == 2 && found < 8) first[found] = (uint32_t)low;
            if (root == 3) sha_round[found] = (uint32_t)low;
        }
        found++;
    }
}

static uint32_t turn_right(uint32_t x, int n) { return x >> n | x << (32 - n); }

static void sha_block(sha *s, const uint8_t *at) {
    uint32_t w[64], v[8];
    for (int n = 0; n < 16; n++)
        w[n] = (uint32_t)at[4 * n] << 24 | (uint32_t)at[4 * n + 1] << 16 | (uint32_t)at[4 * n + 2] << 8 | at[4 * n + 3];
    for (int n = 16; n < 64; n++) {
        uint32_t a = w[n - 15], b = w[n - 2];
        w[n] = w[n - 16] + w[n - 7] + (turn_right(a, 7) ^ turn_right(a, 18) ^ a >> 3) +
               (turn_right(b, 17) ^ turn_right(b, 19) ^ b >> 10);
    }
    memcpy(v, s->state, sizeof v);
    for (int n = 0; n < 64; n++) {
        uint32_t e = v[4], a = v[0];
        uint32_t one = v[7] + (turn_right(e, 6) ^ turn_right(e, 11) ^ turn_right(e, 25)) + ((e & v[5]) ^ (~e & v[6])) +
                       sha_round[n] + w[n];
        uint32_t two = (turn_right(a, 2) ^ turn_right(a, 13) ^ turn_right(a, 22)) +
                       ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += one, v[0] = one + two;
    }
    for (int n = 0; n < 8; n++) s->state[n] += v[n];
}

static void sha_start(sha *s) {
    memset(s, 0, sizeof *s);
    learn_sha(s->state);
}

static void sha_add(sha *s, const void *data, size_t count) {
    const uint8_t *at = (const uint8_t *)data;
    size_t held = s->length & 63;
    s->length += count;
    for (; held && count; count--) {
        s->block[held++] = *at++;
        if (held == 64) sha_block(s, s->block), held = 0;
    }
    for (; count >= 64; count -= 64, at += 64) sha_block(s, at);
    memcpy(s->block + held, at, count);
}

static void sha_end(sha *s, uint8_t digest[32]) {
    static const uint8_t pad[64] = {128};
    uint8_t bits_[8];
    uint64_t length = 8 * s->length;
    for (int n = 0; n < 8; n++) bits_[n] = (uint8_t)(length >> (56 - 8 * n));
    sha_add(s, pad, 1 + ((119 - (s->length & 63)) & 63));
    sha_add(s, bits_, 8);
    for (int n = 0; n < 32; n++) digest[n] = (uint8_t)(s->state[n / 4] >> (24 - 8 * (n % 4)));
}

static void sha_text(sha *s, char text[65]) {
    uint8_t digest[32];
    sha_end(s, digest);
    for (int n = 0; n < 32; n++) sprintf(text + 2 * n, "%02x", digest[n]);
}

/* --- a table in memory ----------------------------------------------------------------------------------------- */

/* `fresh` has outcome and distance of each number, `stairs` where its staircase begins among `steps`: their number,
 * then the steps; 0 for none. */
typedef struct whole {
    const table *t;
    uint32_t *fresh, *stairs;
    uint64_t *steps;
    size_t used, room;
    uint32_t *by_hash;
    size_t hash_size, different;
} whole;

static int outcome_of(uint32_t fresh) { return (int)(int16_t)(fresh >> 16); }

static uint64_t pack_step(const step *s) {
    return (uint64_t)s->distance | (uint64_t)(uint16_t)s->outcome << 16 | (uint64_t)s->level << 32 | (uint64_t)s->holder << 40;
}

static uint64_t hash_steps(const uint64_t *at) {
    uint64_t sum = 0;
    for (uint64_t n = 0; n <= at[0]; n++) sum = (sum ^ at[n]) * 0x9e3779b97f4a7c15u, sum ^= sum >> 29;
    return sum;
}

/* Where these steps, which stand at the end of all, are: there or before. */
static uint32_t same_steps(whole *w) {
    const uint64_t *new_ = w->steps + w->used;
    size_t mask = w->hash_size - 1, at = (size_t)hash_steps(new_) & mask;
    for (; w->by_hash[at]; at = (at + 1) & mask)
        if (!memcmp(w->steps + w->by_hash[at], new_, (new_[0] + 1) * sizeof *new_)) return w->by_hash[at];
    uint32_t here = w->by_hash[at] = (uint32_t)w->used;
    w->used += new_[0] + 1;
    if (2 * ++w->different < w->hash_size) return here;
    uint32_t *old = w->by_hash;
    w->by_hash = (uint32_t *)need(2 * w->hash_size, sizeof *old);
    w->hash_size *= 2, mask = w->hash_size - 1;
    for (size_t n = 0; n < w->hash_size / 2; n++) {
        size_t to = old[n] ? (size_t)hash_steps(w->steps + old[n]) & mask : 0;
        while (old[n] && w->by_hash[to]) to = (to + 1) & mask;
        if (old[n]) w->by_hash[to] = old[n];
    }
    free(old);
    return here;
}

/* The shape of each place of a chunk, and which one it is when they are sorted. */
static rmtb_error rank_places(rmtb_reader *r, const table *t, uint64_t number, int wants_steps, block **chunk, uint32_t *shape,
                              uint32_t *rank) {
    block *shapes;
    TRY(shapes_of(r, t, number / t->per_group, SIZE_MAX, &shapes));
    TRY(chunk_of(r, t, number, wants_steps, chunk));
    chunk_view v = view_of(t, *chunk);
    uint32_t next[256], escapes = 0;
    memcpy(next, v.starts, sizeof next);
    for (uint32_t place = 0; place < t->chunk; place++) {
        shape[place] = v.raw[place];
        if (shape[place] < 255) rank[place] = next[shape[place]]++;
        else {
            shape[place] += in_planes(v.raw + t->chunk, (*chunk)->escapes, t->shape_bytes, escapes);
            rank[place] = v.starts[255] + v.ranks[escapes++];
        }
    }
    return RMTB_OK;
}

/* Reads all of a table; if the digest of its contents is wanted, with its staircases. */
static void read_whole(rmtb_reader *r, whole *w, char *contents) {
    const table *t = w->t;
    const int wants_steps = contents != NULL;
    entry e;
    sha sums[3], all;
    w->fresh = (uint32_t *)need(t->numbers, sizeof *w->fresh);
    if (wants_steps) {
        w->stairs = (uint32_t *)need(t->numbers, sizeof *w->stairs);
        w->hash_size = 1 << 16, w->by_hash = (uint32_t *)need(w->hash_size, sizeof *w->by_hash);
        w->room = 1 << 16, w->used = 1, w->steps = (uint64_t *)need(w->room, sizeof *w->steps);
        for (int n = 0; n < 3; n++) sha_start(&sums[n]);
    }
    uint32_t *shape = (uint32_t *)need(t->chunk, sizeof *shape), *rank = (uint32_t *)need(t->chunk, sizeof *rank);
    block *chunk = NULL;
    for (uint64_t number = 0; number < t->numbers; number++) {
        uint8_t told[4], count = 0;
        uint32_t within = (uint32_t)(number % t->chunk), place = 0;
        rmtb_error error = within ? RMTB_OK : rank_places(r, t, number / t->chunk, wants_steps, &chunk, shape, rank);
        for (int b = 0; within >> b; b++)
            if (within >> b & 1) place ^= t->place[b];
        e.outcome = e.distance = e.count = 0;
        if (!error && shape[place]) error = tell(r, t, number / t->chunk, chunk, shape[place], rank[place], wants_steps ? 0 : BASE, &e);
        if (error) fail(rmtb_strerror(error), t->material);
        w->fresh[number] = (uint32_t)(uint16_t)e.outcome << 16 | (uint32_t)e.distance;
        if (!wants_steps) continue;
        int32_t value = 65536 * e.outcome + e.distance;
        for (int n = 0; n < 4; n++) told[n] = (uint8_t)((uint32_t)value >> 8 * n);
        count = (uint8_t)e.count;
        sha_add(&sums[0], told, 4);
        sha_add(&sums[1], &count, 1);
        if (!count) continue;
        if (w->used + 257 > w->room) {
            w->room *= 2;
            w->steps = (uint64_t *)realloc(w->steps, w->room * sizeof *w->steps);
            if (!w->steps || w->room > UINT32_MAX) fail("there is not enough memory", t->material);
        }
        w->steps[w->used] = count;
        for (int n = 0; n < e.count; n++) {
            const step *s = &e.steps[n];
            uint8_t six[6] = {(uint8_t)s->holder, (uint8_t)s->level, (uint8_t)s->outcome, (uint8_t)((uint16_t)s->outcome >> 8),
                              (uint8_t)s->distance, (uint8_t)(s->distance >> 8)};
            sha_add(&sums[2], six, 6);
            w->steps[w->used + 1 + (size_t)n] = pack_step(s);
        }
        w->stairs[number] = same_steps(w);
    }
    free(shape), free(rank);
    if (!wants_steps) return;
    free(w->by_hash);
    char line[64];
    uint8_t part[32];
    sha_start(&all);
    sprintf(line, "tbgen contents %s %s\n", t->material, r->all->rules == RMTB_R ? "r" : "wg");
    sha_add(&all, line, strlen(line));
    for (int n = 0; n < 3; n++) sha_end(&sums[n], part), sha_add(&all, part, 32);
    sha_text(&all, contents);
}

/* --- positions and moves ----------------------------------------------------------------------------------------- */

/* What does not change while a table is verified. */
typedef struct frame {
    int next[8][65];       /* the square beside one, by direction; 64: off the board */
    int8_t way[64][64];    /* the direction from one to another, -1 */
    uint64_t king[64], knight[64], pawn[2][64];
    uint8_t *unrank[5];    /* of groups: squares by number */
} frame;

enum { STRAIGHT = 4 }; /* directions from 4 on are diagonal */

typedef struct spot {
    uint8_t square[RMTB_MEN];
    int8_t on[64]; /* slots, -1 */
    int mover, gone; /* gone: the slot that has been captured, -1 */
} spot;

/* What a move leads to, in the view of the side that makes it. */
typedef struct way_out {
    int outcome, distance, level, own; /* level: of the outcome; own: of the position */
    const uint64_t *steps; /* their number, then they; NULL: none */
    uint64_t number;       /* of a quiet move, whose other fields come from there */
    uint64_t next, last[2]; /* the first step above the level that is looked at, and each holder's last one before */
} way_out;

/* The best outcome so far, the shortest and the longest way to it. */
typedef struct best { int outcome, low, high; } best;

static void learn_frame(frame *f) {
    static const int right[8] = {0, 0, 1, -1, 1, 1, -1, -1}, up[8] = {1, -1, 0, 0, 1, -1, 1, -1};
    static const int jump[8][2] = {{1, 2}, {2, 1}, {2, -1}, {1, -2}, {-1, -2}, {-2, -1}, {-2, 1}, {-1, 2}};
    memset(f->way, -1, sizeof f->way);
    for (int square = 0; square < 64; square++)
        for (int d = 0; d < 8; d++) {
            int file = square % 8 + right[d], rank = square / 8 + up[d];
            f->next[d][square] = file < 0 || file > 7 || rank < 0 || rank > 7 ? 64 : 8 * rank + file;
            file = square % 8 + jump[d][0], rank = square / 8 + jump[d][1];
            if (file >= 0 && file < 8 && rank >= 0 && rank < 8) f->knight[square] |= (uint64_t)1 << (8 * rank + file);
        }
    for (int square = 0; square < 64; square++)
        for (int d = 0; d < 8; d++) {
            for (int to = f->next[d][square]; to != 64; to = f->next[d][to]) f->way[square][to] = (int8_t)d;
            if (f->next[d][square] == 64) continue;
            f->king[square] |= (uint64_t)1 << f->next[d][square];
            if (d >= STRAIGHT) f->pawn[up[d] < 0][square] |= (uint64_t)1 << f->next[d][square];
        }
    for (int count = 1; count <= 4; count++) {
        uint8_t *to = f->unrank[count] = (uint8_t *)need(choose(64, count), (size_t)count), now[5] = {0, 1, 2, 3, 64};
        for (;;) {
            memcpy(to, now, (size_t)count), to += count;
            int at = 0; /* the first that can go on: those before it start again */
            while (at < count && now[at] + 1 == (at + 1 < count ? now[at + 1] : 64)) at++;
            if (at >= count || at > 3) break;
            now[at]++;
            for (int before_ = 0; before_ < at; before_++) now[before_] = (uint8_t)before_;
        }
    }
}

static int strikes(const frame *f, const table *t, const spot *s, int slot, int square) {
    int from = s->square[slot], kind = t->kind[slot];
    if (kind == KING) return (int)(f->king[from] >> square & 1);
    if (kind == KNIGHT) return (int)(f->knight[from] >> square & 1);
    if (kind == PAWN) return (int)(f->pawn[t->side[slot]][from] >> square & 1);
    int d = f->way[from][square];
    if (d < 0 || (kind == ROOK && d >= STRAIGHT) || (kind == BISHOP && d < STRAIGHT)) return 0;
    for (from = f->next[d][from]; from != square; from = f->next[d][from])
        if (s->on[from] >= 0) return 0;
    return 1;
}

/* Whether a side's king can be captured. Slots 0 and 1 are the kings. */
static int is_open(const frame *f, const table *t, const spot *s, int side) {
    for (int slot = 0; slot < t->men; slot++)
        if (t->side[slot] != side && slot != s->gone && strikes(f, t, s, slot, s->square[side])) return 1;
    return 0;
}

/* --- one position ---------------------------------------------------------------------------------------------- */

typedef struct part { uint64_t start, row; int family, flip; } part; /* a slice */

/* What all threads share. */
typedef struct task {
    const rmtb_tables *all;
    whole own, *others; /* others: by the table's id */
    frame f;
    part *parts;
    size_t count;
    uint16_t codes[3][3612]; /* the kings of a pair: 64 times the first one's square, plus the second one's */
    pthread_mutex_t lock;
    uint8_t *levels; /* by number */
    int is_counting; /* the first time through, levels are found */
    uint64_t next; /* the first number that nobody has taken */
    uint64_t legal, wrong;
} task;

typedef struct worker {
    task *k;
    rmtb_reader *reader;
    spot s;
    const part *here;
    uint64_t other, rank[4]; /* the number with the other side to move, if that is stored; of each group of pieces */
    int in_check;
    way_out ways[MAX_MOVES];
    int found; /* ways */
    /* While levels rise: ways without steps, by the last level at which their fresh outcome does not count, from the first
     * on at which that is no less than the level; the best of those before; and the ways with steps. */
    const way_out *plain[MAX_MOVES];
    int plains, next, stepped;
    best paid;
    way_out *with_steps[MAX_MOVES];
    uint64_t legal, wrong;
} worker;

static uint64_t number_there(const task *k, const part *here, const spot *s, int mover) {
    const table *t = k->own.t;
    const lore *l = &k->all->known;
    uint8_t squares[RMTB_MEN], group[4];
    memcpy(squares, s->square, sizeof squares);
    if (here->flip >= 0 && mover) turn_men(l, t, here->flip, squares), swap_sides(t, squares), mover = 0;
    int code = 64 * squares[0] + squares[1];
    turn_men(l, t, l->turn_by[here->family][code], squares);
    uint64_t number = here->start + ((uint64_t)(mover * l->pairs[here->family]) + l->pair[here->family][code]) * t->inner;
    for (int nth = 0; nth < t->groups; nth++) {
        const likes *g = &t->group[nth];
        if (g->count == 1) number += g->stride * squares[g->slot];
        else memcpy(group, squares + g->slot, (size_t)g->count), number += g->stride * rank_of(group, g->count, 0);
    }
    return number;
}

/* The number after a quiet move of a slot. Pieces leave the kings where they are, and so all other groups. */
static uint64_t number_after(const worker *w, int slot, int from) {
    const table *t = w->k->own.t;
    const spot *s = &w->s;
    uint8_t group[4];
    int nth = 0;
    if (slot < 2 || w->here->flip >= 0) return number_there(w->k, w->here, s, !s->mover);
    while (slot >= t->group[nth].slot + t->group[nth].count) nth++;
    const likes *g = &t->group[nth];
    if (g->count == 1) return w->other + g->stride * s->square[slot] - g->stride * (uint64_t)from;
    memcpy(group, s->square + g->slot, (size_t)g->count);
    return w->other + g->stride * rank_of(group, g->count, 0) - g->stride * w->rank[nth];
}

/* Sets a number's position up; 0 if men share a square, or if the side that is not to move is in check. */
static int set_up(worker *w, uint64_t number) {
    const task *k = w->k;
    const table *t = k->own.t;
    spot *s = &w->s;
    while (w->here + 1 < k->parts + k->count && w->here[1].start <= number) w->here++;
    uint64_t rest = number - w->here->start, pair = rest / t->inner, pairs = (uint64_t)k->all->known.pairs[w->here->family];
    uint64_t ranks[2] = {w->here->row / choose(48, t->pawns[1]), w->here->row % choose(48, t->pawns[1])};
    rest %= t->inner;
    s->mover = (int)(pair / pairs), s->gone = -1;
    w->other = s->mover ? number - pairs * t->inner : number + pairs * t->inner;
    s->square[0] = (uint8_t)(k->codes[w->here->family][pair % pairs] >> 6);
    s->square[1] = (uint8_t)(k->codes[w->here->family][pair % pairs] & 63);
    for (int nth = 0; nth < t->groups; nth++) {
        const likes *g = &t->group[nth];
        w->rank[nth] = rest / g->stride, rest %= g->stride;
        memcpy(s->square + g->slot, k->f.unrank[g->count] + w->rank[nth] * (size_t)g->count, (size_t)g->count);
    }
    for (int side = 0, slot = t->men - t->pawns[0] - t->pawns[1]; side < 2; slot += t->pawns[side++])
        for (int nth = t->pawns[side]; nth--;) {
            int square = 47;
            while (choose(square, nth + 1) > ranks[side]) square--;
            ranks[side] -= choose(square, nth + 1);
            s->square[slot + nth] = (uint8_t)(square + 8);
        }
    uint64_t taken = 0;
    for (int slot = 0; slot < t->men; taken |= (uint64_t)1 << s->square[slot++])
        if (taken >> s->square[slot] & 1) return 0;
    memset(s->on, -1, sizeof s->on);
    for (int slot = 0; slot < t->men; slot++) s->on[s->square[slot]] = (int8_t)slot;
    return !is_open(&k->f, t, s, !s->mover);
}

/* Fresh outcome and distance of where a capture or a pawn move leads. */
static void ask_reset(worker *w, int kind, int slot, int passed, way_out *way) {
    const table *t = w->k->own.t, *there;
    const spot *s = &w->s;
    board b;
    rmtb_result result;
    uint64_t number;
    int first;
    memset(&b, 0, sizeof b);
    b.turn = !s->mover, b.ep = passed;
    for (int man = 0; man < t->men; man++)
        if (man != s->gone) {
            b.by[t->side[man]] |= (uint64_t)1 << s->square[man];
            b.of[man == slot ? kind : t->kind[man]] |= (uint64_t)1 << s->square[man];
        }
    w->reader->searched = w->reader->depth = 0;
    rmtb_error error = has_right(&w->k->all->known, &b) ? LEFT_OUT : locate(w->reader, &b, &there, &first, &number);
    if (!error && (there == t || w->k->others[there->id].fresh)) {
        uint32_t fresh = (there == t ? &w->k->own : &w->k->others[there->id])->fresh[number];
        way->outcome = -outcome_of(fresh), way->distance = (int)(fresh & 0xffff) + 1;
    } else {
        error = worth(w->reader, &b, 0, &result);
        if (error) fail(rmtb_strerror(error), "a table that captures or promotions lead to");
        way->outcome = s->mover ? -result.outcome : result.outcome, way->distance = result.distance + 1;
    }
}

/* One move, if it is legal: a pawn's four promotions are one each. */
static void make(worker *w, int slot, int to, int passed) {
    task *k = w->k;
    const table *t = k->own.t;
    spot *s = &w->s;
    int from = s->square[slot], taken = s->on[to], is_pawn = t->kind[slot] == PAWN, promotes = is_pawn && (to < 8 || to > 55);
    if (taken >= 0 && t->side[taken] == s->mover) return;
    s->on[from] = -1, s->on[to] = (int8_t)slot, s->square[slot] = (uint8_t)to, s->gone = taken;
    /* Nothing but the king's own moves opens it, if no man leaves a line with it. */
    int may_open = slot < 2 || w->in_check || k->f.way[s->square[s->mover]][from] >= 0;
    if (may_open && is_open(&k->f, t, s, s->mover)) w->found += 0;
    else if (k->is_counting) w->found += promotes ? 4 : 1;
    else
        for (int kind = promotes ? QUEEN : t->kind[slot], last = promotes ? KNIGHT : kind; kind <= last; kind++) {
            way_out *way = &w->ways[w->found++];
            /* A reset pays the fresh outcome under all records; in the whole game that counts if it is better. */
            way->steps = NULL, way->own = k->all->rules == RMTB_R ? 0 : LEVELS;
            if (is_pawn || taken >= 0) ask_reset(w, kind, slot, passed, way);
            else {
                way->number = number_after(w, slot, from), way->distance = -1;
                FETCH(&k->own.fresh[way->number]);
                FETCH(&k->own.stairs[way->number]);
                FETCH(&k->levels[way->number]);
            }
        }
    s->on[from] = (int8_t)slot, s->on[to] = (int8_t)taken, s->square[slot] = (uint8_t)from, s->gone = -1;
}

/* What the table says of quiet moves: once all are known, so that memory is not waited for at each. */
static void look_up(worker *w) {
    const task *k = w->k;
    for (int n = 0; n < w->found; n++) {
        way_out *way = &w->ways[n];
        if (way->distance < 0) {
            uint32_t fresh = k->own.fresh[way->number], stairs = k->own.stairs[way->number];
            way->outcome = -outcome_of(fresh), way->distance = (int)(fresh & 0xffff) + 1;
            if (stairs) way->steps = k->own.steps + stairs;
            if (k->all->rules == RMTB_R) way->own = k->levels[way->number];
        }
        way->level = level_of(way->outcome);
    }
}

static void make_all(worker *w) {
    const frame *f = &w->k->f;
    const table *t = w->k->own.t;
    spot *s = &w->s;
    w->found = 0, w->in_check = is_open(f, t, s, s->mover);
    for (int slot = 0; slot < t->men; slot++) {
        int from = s->square[slot], kind = t->kind[slot], ahead = s->mover ? -8 : 8;
        if (t->side[slot] != s->mover) continue;
        if (kind == KING || kind == KNIGHT)
            for (uint64_t to = kind == KING ? f->king[from] : f->knight[from]; to; to &= to - 1) make(w, slot, lowest(to), -1);
        else if (kind == PAWN) {
            for (uint64_t to = f->pawn[s->mover][from]; to; to &= to - 1)
                if (s->on[lowest(to)] >= 0) make(w, slot, lowest(to), -1);
            if (s->on[from + ahead] >= 0) continue;
            make(w, slot, from + ahead, -1);
            if (from / 8 == (s->mover ? 6 : 1) && s->on[from + 2 * ahead] < 0) make(w, slot, from + 2 * ahead, from + ahead);
        } else
            for (int d = kind == BISHOP ? STRAIGHT : 0; d < (kind == ROOK ? STRAIGHT : 8); d++)
                for (int to = f->next[d][from]; to != 64; to = f->next[d][to]) {
                    make(w, slot, to, -1);
                    if (s->on[to] >= 0) break;
                }
    }
}

/* --- what must hold -------------------------------------------------------------------------------------------- */

static int step_level(uint64_t s) { return (int)(s >> 32 & 255); }
static int step_outcome(uint64_t s) { return (int)(int16_t)(s >> 16 & 0xffff); }
static int step_distance(uint64_t s) { return (int)(s & 0xffff); }

/* A step, if there is one and its outcome is better than the record for the side that does not hold that; else 0. */
static uint64_t counting(uint64_t s, int holder, int record) {
    return s && (holder ? step_outcome(s) < record : step_outcome(s) > record) ? s : 0;
}

/* The last step of a holder's with at most this level, if its outcome is better than the record for the other side;
 * else 0. All are in the view of the side to move. */
static uint64_t step_at(const uint64_t *steps, int holder, int level, int record) {
    uint64_t last = 0;
    for (uint64_t n = 1; steps && n <= steps[0] && step_level(steps[n]) <= level; n++)
        if ((int)(steps[n] >> 40) == holder) last = steps[n];
    return counting(last, holder, record);
}

/* Marks levels at which something changes. */
static void mark(uint64_t marks[LEVELS / 64], int level, int last) {
    for (; level <= last; level++)
        if (level >= 2 && level < LEVELS) marks[level >> 6] |= (uint64_t)1 << (level & 63);
}

/* A step begins to count at its level; at the level of its outcome it is the record. Above `last` no step counts. */
static void mark_steps(uint64_t marks[LEVELS / 64], const uint64_t *steps, int last) {
    for (uint64_t n = 1; steps && n <= steps[0] && step_level(steps[n]) <= last; n++) {
        int level = step_level(steps[n]), worth_ = level_of(step_outcome(steps[n]));
        mark(marks, level, level);
        if (worth_ >= level && worth_ <= last) mark(marks, worth_, worth_ + 1);
    }
}

/* Up to the lower one of two levels the record, or a step, counts; above it, the fresh outcome does. */
static int last_level(const way_out *way) { return way->own < way->level ? way->own : way->level; }

static void mark_way(uint64_t marks[LEVELS / 64], const way_out *way) {
    int last = last_level(way);
    mark(marks, last + 1, last + 1);
    if (way->own <= way->level) mark(marks, way->own, way->own), mark(marks, way->level, way->level + 1);
    mark_steps(marks, way->steps, last);
}

static void better(best *b, int outcome, int distance) {
    if (outcome < b->outcome) return;
    if (outcome > b->outcome) b->outcome = outcome, b->low = b->high = distance;
    else if (distance < b->low) b->low = distance;
    else if (distance > b->high) b->high = distance;
}

/* Makes ready for levels that rise. */
static void start_levels(worker *w) {
    w->plains = w->next = w->stepped = 0, w->paid.outcome = -BASE - 1;
    for (int n = 0; n < w->found; n++) {
        way_out *way = &w->ways[n];
        int at = w->plains;
        if (way->steps) {
            way->next = 1, way->last[0] = way->last[1] = 0;
            w->with_steps[w->stepped++] = way;
            continue;
        }
        for (; at > 0 && last_level(w->plain[at - 1]) > last_level(way); at--) w->plain[at] = w->plain[at - 1];
        w->plain[at] = way, w->plains++;
    }
}

/* What the best move makes of records of a level, by holder: outcome and distance. */
static void best_of(worker *w, int level, int outcome[2], int distance[2]) {
    for (; w->next < w->plains && last_level(w->plain[w->next]) < level; w->next++)
        better(&w->paid, w->plain[w->next]->outcome, w->plain[w->next]->distance);
    for (int n = 0; n < w->stepped;) {
        way_out *way = w->with_steps[n];
        if (last_level(way) < level) {
            better(&w->paid, way->outcome, way->distance);
            w->with_steps[n] = w->with_steps[--w->stepped];
            continue;
        }
        for (; way->next <= way->steps[0] && step_level(way->steps[way->next]) <= level; way->next++)
            way->last[way->steps[way->next] >> 40 & 1] = way->steps[way->next];
        n++;
    }
    for (int holder = 0; holder < 2; holder++) {
        int record = holder ? BASE - level : level - BASE, n = w->next, stays = 0;
        best b = w->paid;
        for (; holder && n < w->plains && last_level(w->plain[n]) == level; n++)
            if (w->plain[n]->own == level) better(&b, w->plain[n]->outcome, w->plain[n]->distance); /* it is the record */
            else stays = 1;
        stays |= n < w->plains;
        for (n = 0; n < w->stepped; n++) {
            const way_out *way = w->with_steps[n];
            uint64_t s = counting(way->last[!holder], !holder, -record);
            if (holder && way->own == level) better(&b, way->outcome, way->distance);
            else if (s) better(&b, -step_outcome(s), step_distance(s) + 1);
            else stays = 1;
        }
        if (stays) better(&b, record, 0);
        outcome[holder] = b.outcome, distance[holder] = b.outcome == record ? 0 : b.outcome > record ? b.low : b.high;
    }
}

/* Whether steps can be, and each says something. */
static int are_steps(const uint64_t *steps, int level, int fresh) {
    uint64_t last[2] = {0, 0};
    for (uint64_t n = 1; steps && n <= steps[0]; n++) {
        int holder = (int)(steps[n] >> 40), at = step_level(steps[n]), record = holder ? BASE - at : at - BASE;
        if (holder > 1 || at < 2 || at > level || at > fresh || (n > 1 && at < step_level(steps[n - 1]))) return 0;
        if (last[holder] && (at == step_level(last[holder]) || (uint32_t)steps[n] == (uint32_t)last[holder])) return 0;
        if (step_at(steps, holder, at, record) != steps[n]) return 0;
        last[holder] = steps[n];
    }
    return 1;
}

/* 0 if all is right; else the record at which it is not, in the view of the side to move, or 1 if none can stand. */
static int check_records(worker *w, uint32_t fresh, const uint64_t *steps) {
    const task *k = w->k;
    int outcome = outcome_of(fresh), distance = (int)(fresh & 0xffff), own = level_of(outcome), worth_[2], plies[2];
    int level = 2 * w->found + !w->in_check, whole_game = k->all->rules == RMTB_WG;
    uint64_t marks[LEVELS / 64] = {0};
    if (level < 2) return outcome == level - BASE && distance == 0 && !steps ? 0 : 1;
    if (!are_steps(steps, level, own) || (whole_game && steps)) return 1;
    mark(marks, level, level);
    if (!whole_game) { /* there the own goal is the only record to check */
        mark(marks, 2, 2);
        mark(marks, own, own + 1);
        mark_steps(marks, steps, own < level ? own : level);
        for (int n = 0; n < w->found; n++) mark_way(marks, &w->ways[n]);
    }
    start_levels(w);
    for (int part_ = 0; part_ < LEVELS / 64; part_++)
        for (uint64_t left = marks[part_]; left; left &= left - 1) {
            int at = 64 * part_ + lowest(left);
            if (at > level) return 0;
            best_of(w, at, worth_, plies);
            for (int holder = 0; holder < 2 - whole_game; holder++) {
                int record = holder ? BASE - at : at - BASE, is_fresh = own < at || (!holder && at == level);
                uint64_t s = is_fresh ? 0 : step_at(steps, holder, at, record);
                if (worth_[holder] != (is_fresh ? outcome : s ? step_outcome(s) : record)) return record;
                if (plies[holder] != (is_fresh ? distance : s ? step_distance(s) : 0)) return record;
            }
        }
    return 0;
}

static void tell_wrong(const worker *w, uint64_t number, int record) {
    const table *t = w->k->own.t;
    printf("wrong: number %llu:", (unsigned long long)number);
    for (int slot = 0; slot < t->men; slot++)
        printf(" %s%c%c%d", t->side[slot] ? "-" : "", LETTERS[t->kind[slot]], 'a' + w->s.square[slot] % 8, w->s.square[slot] / 8 + 1);
    printf(", %s to move, record %d\n", w->s.mover ? "second" : "first", record);
}

static void *work(void *user) {
    worker *w = (worker *)user;
    task *k = w->k;
    const table *t = k->own.t;
    for (;;) {
        pthread_mutex_lock(&k->lock);
        uint64_t number = k->next, end = number + (1 << 16) < t->numbers ? number + (1 << 16) : t->numbers;
        k->next = end;
        pthread_mutex_unlock(&k->lock);
        if (number >= end) break;
        w->here = k->parts;
        for (; number < end; number++) {
            uint32_t fresh = k->own.fresh[number];
            int is_legal = set_up(w, number), record = 1;
            if (k->is_counting) {
                if (is_legal) make_all(w);
                int level = is_legal ? 2 * w->found + !w->in_check : 0;
                if (level >= LEVELS) fail("it has too many moves", t->material);
                k->levels[number] = (uint8_t)level;
                continue;
            }
            if (is_legal && fresh) {
                make_all(w);
                look_up(w);
                record = check_records(w, fresh, k->own.stairs[number] ? k->own.steps + k->own.stairs[number] : NULL);
            }
            w->legal += (uint64_t)is_legal;
            if (is_legal ? !record : !fresh) continue;
            if (w->wrong++ < 5) tell_wrong(w, number, record);
        }
    }
    return NULL;
}

/* --- a file ---------------------------------------------------------------------------------------------------- */

static int by_start(const void *a, const void *b) {
    const part *x = (const part *)a, *y = (const part *)b;
    return x->start < y->start ? -1 : x->start > y->start;
}

/* The slices that have numbers, which must lie one behind the other. */
static void read_parts(task *k, rmtb_reader *r) {
    const table *t = k->own.t;
    const lore *l = &k->all->known;
    k->parts = (part *)need(t->rows, sizeof *k->parts);
    for (uint64_t nth = 0; nth < t->rows; nth++) {
        uint64_t row = t->pawns[0] + t->pawns[1] > 1 ? 0 : t->row[nth];
        if (t->pawns[0] + t->pawns[1] > 1) {
            const uint8_t *page;
            rmtb_error error = page_of(r, t, SLICES, nth / ROWS_PER_PAGE, PAGE, 8 * ROWS_PER_PAGE, &page);
            if (error) fail(rmtb_strerror(error), t->material);
            row = le64(page + 8 * (nth % ROWS_PER_PAGE));
        }
        if (row == ~(uint64_t)0 || row & 15) continue;
        part p = {row >> 16, nth, (int)(row >> 4 & 3), (int)(row >> 8 & 15) - 1};
        if (p.family > 2 || p.flip > 7 || (p.flip >= 0 && !t->even)) fail("its slices are wrong", t->material);
        k->parts[k->count++] = p;
    }
    qsort(k->parts, k->count, sizeof *k->parts, by_start);
    uint64_t end = 0;
    for (size_t n = 0; n < k->count; n++) {
        if (k->parts[n].start != end) fail("its slices are wrong", t->material);
        end += (k->parts[n].flip < 0 ? 2u : 1u) * (uint64_t)l->pairs[k->parts[n].family] * t->inner;
    }
    if (end != t->numbers) fail("its slices are wrong", t->material);
    for (int family = 0; family < 3; family++)
        for (int code = 0; code < 4096; code++)
            if (l->pair[family][code] != NO_PAIR && !l->turn_by[family][code])
                k->codes[family][l->pair[family][code]] = (uint16_t)code;
}

/* Compares the SHA-256 of the bytes with the head's, and returns the head's count of legal positions. */
static uint64_t check_seal(const table *t) {
    static uint8_t bytes[1 << 16];
    char head[PAGE + 1];
    char digest[65];
    uint64_t legal = 0;
    sha s;
    if (t->source.read(t->source.user, 0, head, PAGE)) fail(rmtb_strerror(RMTB_READ), t->material);
    head[PAGE] = 0;
    sha_start(&s);
    for (uint64_t at = PAGE; at < t->source.size; at += sizeof bytes) {
        size_t count = t->source.size - at < sizeof bytes ? (size_t)(t->source.size - at) : sizeof bytes;
        if (t->source.read(t->source.user, at, bytes, count)) fail(rmtb_strerror(RMTB_READ), t->material);
        sha_add(&s, bytes, count);
    }
    sha_text(&s, digest);
    const char *said = line_of(head, "sha256"), *count = line_of(head, "legal");
    if (!said || strncmp(said, digest, 64)) fail("its SHA-256 is wrong", t->material);
    if (!count || !read_number(&count, &legal)) fail("its head is wrong", t->material);
    return legal;
}

/* Whether a list, such as docs/digests.txt, says the same of a table's contents: "KRvKN r 43b6...", one a line. */
static int is_listed(const char *list, const table *t, const char *rules, const char *contents) {
    char line[256], name[32];
    int is_known = 0, is_same = 0;
    FILE *file = fopen(list, "r");
    if (!file) fail("it cannot be read", list);
    size_t length = (size_t)sprintf(name, "%s %s ", t->material, rules);
    while (!is_known && fgets(line, sizeof line, file)) {
        is_known = !strncmp(line, name, length);
        is_same = is_known && strcspn(line + length, "\r\n") == 64 && !strncmp(line + length, contents, 64);
    }
    fclose(file);
    if (!is_known) printf("wrong: %s does not list these contents\n", list);
    else if (!is_same) printf("wrong: %s lists other contents\n", list);
    return is_same;
}

static int verify(const char *path, int threads, const char *list) {
    char directory[4096], contents[65];
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    rmtb_rules rules = strstr(name, ".wg.") ? RMTB_WG : RMTB_R;
    rmtb_tables *tables;
    rmtb_reader *reader;
    task k;
    if (strstr(name, ".slim.")) fail("this is a slim table; `tbgen unpack` makes the whole one", path);
    memset(&k, 0, sizeof k);
    snprintf(directory, sizeof directory, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
    rmtb_error error = rmtb_open(directory, rules, &tables);
    if (!error) error = rmtb_reader_new(tables, 4 << 20, &reader);
    if (error) fail(rmtb_strerror(error), directory);
    for (int nth = 0; nth < tables->count; nth++) {
        const table *t = tables->list[nth];
        size_t length = strlen(t->material);
        if (!strncmp(t->material, name, length) && name[length] == '.' && !t->slim) k.own.t = t;
    }
    if (!k.own.t || k.own.t->fault) fail("no whole table", path);
    uint64_t said = check_seal(k.own.t);
    k.all = tables;
    k.others = (whole *)need((size_t)tables->count, sizeof *k.others);
    learn_frame(&k.f);
    read_parts(&k, reader);
    read_whole(reader, &k.own, contents);
    printf("contents %s\n", contents);
    for (int nth = 0; nth < tables->count; nth++) { /* others of fewer men, unless they are large */
        const table *t = tables->list[nth];
        if (t->fault || t->slim || t->men != k.own.t->men - 1 || t->numbers > 20000000) continue;
        uint64_t more = 0; /* whether a capture leads there */
        for (int side = 0; side < 2; side++)
            for (int kind = QUEEN; kind < KINDS; kind++)
                more |= add_to_key(t->key, side, kind) == k.own.t->key || add_to_key(t->key, side, kind) == k.own.t->swapped_key;
        k.others[t->id].t = t;
        if (more) read_whole(reader, &k.others[t->id], NULL);
    }
    pthread_mutex_init(&k.lock, NULL);
    k.levels = (uint8_t *)need(k.own.t->numbers, 1);
    worker *workers = (worker *)need((size_t)threads, sizeof *workers);
    pthread_t *running = (pthread_t *)need((size_t)threads, sizeof *running);
    for (int n = 0; n < threads; n++) {
        workers[n].k = &k;
        if (rmtb_reader_new(tables, 16 << 20, &workers[n].reader)) fail("there is not enough memory", path);
    }
    for (k.is_counting = 1; k.is_counting >= 0; k.is_counting--) {
        k.next = 0;
        for (int n = 0; n < threads; n++)
            if (pthread_create(&running[n], NULL, work, &workers[n])) fail("no thread can be started", path);
        for (int n = 0; n < threads; n++) pthread_join(running[n], NULL);
    }
    for (int n = 0; n < threads; n++) {
        k.legal += workers[n].legal, k.wrong += workers[n].wrong;
        rmtb_reader_free(workers[n].reader);
    }
    if (k.legal != said) printf("wrong: %llu legal positions, not %llu\n", (unsigned long long)k.legal, (unsigned long long)said);
    printf("%s: %llu legal positions, %llu staircases, %llu wrong\n", k.own.t->material, (unsigned long long)k.legal,
           (unsigned long long)k.own.different + 1, (unsigned long long)k.wrong);
    int is_right = !k.wrong && k.legal == said;
    if (list) is_right &= is_listed(list, k.own.t, rules == RMTB_R ? "r" : "wg", contents);
    for (int nth = 0; nth < tables->count; nth++) free(k.others[nth].fresh);
    for (int n = 1; n < 5; n++) free(k.f.unrank[n]);
    free(k.own.fresh), free(k.own.stairs), free(k.own.steps), free(k.levels), free(k.others), free(k.parts), free(workers), free(running);
    rmtb_reader_free(reader);
    rmtb_close(tables);
    return is_right;
}

int main(int count, char **words) {
    const char *list = NULL;
    int first = 1, threads = 1, is_right = 1;
    for (; first + 1 < count && words[first][0] == '-'; first += 2)
        if (!strcmp(words[first], "-j")) threads = atoi(words[first + 1]);
        else if (!strcmp(words[first], "--digests")) list = words[first + 1];
        else threads = 0;
    if (count <= first || threads < 1 || threads > 256) {
        fprintf(stderr, "rmtb-verify [-j THREADS] [--digests LIST] FILE...\n");
        return 2;
    }
    for (int nth = first; nth < count; nth++) is_right &= verify(words[nth], threads, list);
    return !is_right;
}
