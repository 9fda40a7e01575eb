/* SPDX-License-Identifier: MIT */
/* Written from docs/format.md, whose words it uses. */
#ifndef _WIN32
#define _POSIX_C_SOURCE   200809L
#define _FILE_OFFSET_BITS 64
#endif
#include "rmtb.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _WIN32
#include <windows.h>
#else
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#endif
enum { BASE = 512, MAX_LEVEL = 437, PAGE = 4096, ROWS_PER_PAGE = 511, FORMS_PER_PAGE = 1024, MAX_STEPS = 255 };
/* The format sets no limits to these, but a forged file may not set ours. */
enum { MAX_CHUNK = 1 << 16, MAX_GROUP = 1 << 20, MAX_TABLES = 2048 };
/* Positions that are searched by a ply in one probe, and plies: no true table needs as many. */
enum { MAX_SEARCHED = 20000, MAX_DEPTH = 24 };
#define LEFT_OUT ((rmtb_error)15) /* never leaves this file: the table leaves the position out */
#define TRY(what) do { rmtb_error error_ = (what); if (error_) return error_; } while (0)

/* --- bytes ----------------------------------------------------------------------------------------------------- */
static uint32_t le16(const uint8_t *at) { return (uint32_t)at[0] | (uint32_t)at[1] << 8; }
static uint32_t le32(const uint8_t *at) { return le16(at) | le16(at + 2) << 16; }
/* In one expression: compilers make one load of it. */
static uint64_t le64(const uint8_t *at) {
    return (uint64_t)at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 | (uint64_t)at[3] << 24 |
           (uint64_t)at[4] << 32 | (uint64_t)at[5] << 40 | (uint64_t)at[6] << 48 | (uint64_t)at[7] << 56;
}
/* The value at `index` of `count` values in planes. */
static uint32_t in_planes(const uint8_t *at, size_t count, uint64_t planes, size_t index) {
    uint32_t value = 0;
    for (uint64_t nth = 0; nth < planes; nth++) value |= (uint32_t)at[nth * count + index] << 8 * nth;
    return value;
}
static int signed16(uint32_t value) { return (int)(value & 0x7fff) - (int)(value & 0x8000); }
/* How many of the first `count` bytes have this value: eight at a time. */
static size_t count_byte(const uint8_t *at, size_t count, uint8_t value) {
    const uint64_t ones = ~(uint64_t)0 / 255, low = ones * 127;
    size_t found = 0, place = 0;
    for (uint64_t here; place + 8 <= count; place += 8) {
        memcpy(&here, at + place, 8);
        here ^= ones * value;
        found += (size_t)((~(((here & low) + low) | here | low) >> 7) * ones >> 56);
    }
    for (; place < count; place++) found += at[place] == value;
    return found;
}
static int count_bits(uint64_t bits) { int count = 0; for (; bits; bits &= bits - 1) count++; return count; }
static int lowest(uint64_t bits) {
#if defined(__GNUC__)
    return __builtin_ctzll(bits);
#else
    return count_bits((bits & (0 - bits)) - 1);
#endif
}
static uint64_t bit(int square) { return (uint64_t)1 << square; }
static uint64_t choose(int from, int count) {
    uint64_t found = 1;
    if (from < count) return 0;
    for (int nth = 0; nth < count; nth++) found = found * (uint64_t)(from - nth) / (uint64_t)(nth + 1);
    return found;
}

/* --- what does not depend on tables ------------------------------------------------------------------------------ */
enum { KING, QUEEN, ROOK, BISHOP, KNIGHT, PAWN, KINDS };
static const char LETTERS[] = "KQRBNP";
typedef struct lore {
    uint32_t crc[16][256];
    uint8_t turned[8][64];    /* by symmetry and square */
    uint16_t pair[3][4096];   /* by family and kings: the pair's number; NO_PAIR: they touch */
    uint8_t turn_by[3][4096]; /* and the symmetry that gives it */
    int pairs[3];
    uint64_t reach[KINDS][64]; /* on an empty board, pawns apart */
    uint64_t pawn[2][64];      /* what a pawn of White, of Black attacks */
    uint64_t between[64][64];  /* on a common line, else 0 */
    uint64_t behind[64][64];   /* what the second square hides from a man on the first */
} lore;
#define NO_PAIR 0xffff
static void learn_crc(lore *l) {
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t value = byte;
        for (int nth = 0; nth < 8; nth++) value = value >> 1 ^ (value & 1 ? 0xedb88320u : 0);
        l->crc[0][byte] = value;
    }
    for (int table = 1; table < 16; table++)
        for (int byte = 0; byte < 256; byte++)
            l->crc[table][byte] = l->crc[table - 1][byte] >> 8 ^ l->crc[0][l->crc[table - 1][byte] & 255];
}
static uint32_t crc32_of(const lore *l, const uint8_t *at, size_t count) {
    uint32_t value = 0xffffffffu;
    for (; count >= 16; count -= 16, at += 16) {
        const uint32_t words[4] = {value ^ le32(at), le32(at + 4), le32(at + 8), le32(at + 12)};
        value = 0;
        for (int n = 0; n < 16; n++) value ^= l->crc[15 - n][words[n / 4] >> 8 * (n % 4) & 255];
    }
    while (count--) value = value >> 8 ^ l->crc[0][(value ^ *at++) & 255];
    return ~value;
}
/* Whether bytes have a checksum. Whoever looks for faults by trying forged files does without them. */
static int has_crc32(const lore *l, const uint8_t *at, size_t count, uint32_t wanted) {
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
    return (void)wanted, crc32_of(l, at, count) != 1;
#else
    return crc32_of(l, at, count) == wanted;
#endif
}
static void learn_pairs(lore *l, int family) {
    static const int allowed[3] = {8, 2, 1};
    int found = 0;
    for (int code = 0; code < 4096; code++) {
        int a = code >> 6, b = code & 63, best = 4096;
        for (int s = 0; s < allowed[family]; s++) {
            int image = 64 * l->turned[s][a] + l->turned[s][b];
            if (image < best) best = image, l->turn_by[family][code] = (uint8_t)s;
        }
        /* The smallest image comes first, so that it has its number by now. */
        if (a == b || l->reach[KING][a] & bit(b)) l->pair[family][code] = NO_PAIR;
        else l->pair[family][code] = best == code ? (uint16_t)found++ : l->pair[family][best];
    }
    l->pairs[family] = found;
}
static void learn_moves(lore *l) {
    static const int steps[16][2] = {{0, 1}, {0, -1}, {1, 0},  {-1, 0}, {1, 1},   {1, -1},  {-1, 1}, {-1, -1},
                                     {1, 2}, {2, 1},  {-1, 2}, {-2, 1}, {-1, -2}, {-2, -1}, {1, -2}, {2, -1}};
    for (int from = 0; from < 64; from++)
        for (int way = 0; way < 16; way++) {
            int file = from & 7, rank = from >> 3;
            uint64_t passed = 0;
            for (int away = 1;; away++) {
                file += steps[way][0], rank += steps[way][1];
                if (file < 0 || file > 7 || rank < 0 || rank > 7) break;
                int to = 8 * rank + file;
                if (way >= 8) { l->reach[KNIGHT][from] |= bit(to); break; }
                if (away == 1) l->reach[KING][from] |= bit(to);
                if (away == 1 && way >= 4) l->pawn[steps[way][1] < 0][from] |= bit(to);
                l->reach[way < 4 ? ROOK : BISHOP][from] |= bit(to);
                l->reach[QUEEN][from] |= bit(to);
                l->between[from][to] = passed;
                for (uint64_t hides = passed; hides; hides &= hides - 1) l->behind[from][lowest(hides)] |= bit(to);
                passed |= bit(to);
            }
        }
}
static void learn(lore *l) {
    learn_crc(l);
    learn_moves(l);
    for (int s = 0; s < 8; s++)
        for (int square = 0; square < 64; square++) {
            int image = square ^ (s & 1 ? 7 : 0) ^ (s & 2 ? 56 : 0);
            l->turned[s][square] = (uint8_t)(s & 4 ? (image & 7) << 3 | image >> 3 : image);
        }
    for (int family = 0; family < 3; family++) learn_pairs(l, family);
}

/* --- inflating ------------------------------------------------------------------------------------------------- */
/* An entry of a decoding table: bits 0-4 the code's length, 5-7 its kind, 8-15 how many bits follow, 16-31 a value.
 * A link's value is where the table of longer codes begins; what it holds has the rest of the length. */
enum { ONE, LENGTH, END, LINK, INVALID };
#define LONG_BITS 11                /* of the index of the table of literals and lengths */
#define FAR_BITS  8                 /* of that of distances */
#define LONG_SIZE (2048 + 16 * 144) /* each link stands for two codes of 288 or more */
#define FAR_SIZE  (256 + 128 * 16)
#define IN_SLACK  32  /* zero bytes behind what is inflated */
#define OUT_SLACK 320 /* bytes that may be written behind what comes of it */
#define ENTRY(kind, more, value) ((uint32_t)(kind) << 5 | (uint32_t)(more) << 8 | (uint32_t)(value) << 16)
#define KIND(entry)              ((entry) >> 5 & 7)
static uint32_t plain_entry(int symbol) { return ENTRY(ONE, 0, symbol); }
static uint32_t far_entry(int symbol) {
    int more = symbol < 4 ? 0 : symbol / 2 - 1;
    if (symbol > 29) return ENTRY(INVALID, 0, 0);
    return ENTRY(LENGTH, more, symbol < 4 ? symbol + 1 : ((2 + (symbol & 1)) << more) + 1);
}
static uint32_t long_entry(int symbol) {
    int nth = symbol - 257, more = nth < 8 ? 0 : nth / 4 - 1;
    if (symbol <= 256) return symbol < 256 ? ENTRY(ONE, 0, symbol) : ENTRY(END, 0, 0);
    if (symbol >= 285) return symbol > 285 ? ENTRY(INVALID, 0, 0) : ENTRY(LENGTH, 0, 258);
    return ENTRY(LENGTH, more, (nth < 8 ? nth : (4 + (nth & 3)) << more) + 3);
}
/* Makes the table of a canonical code. 0 if there is none, or an incomplete one of more than one word. */
static int make_table(uint32_t *table, int size, int bits, const uint8_t *length, int count, uint32_t (*entry)(int)) {
    int has[17] = {0}, start[17] = {0}, left = 1, used = 1 << bits, nth = 0;
    uint16_t sorted[288];
    uint32_t word = 0, *part = table; /* a word's first bit is its lowest */
    for (int symbol = 0; symbol < count; symbol++) has[length[symbol]]++;
    int words = count - has[0];
    for (int n = 1; n < 16; n++) {
        start[n + 1] = start[n] + has[n];
        if ((left = 2 * left - has[n]) < 0) return 0;
    }
    if (left > 0 && (words > 1 || words != has[1])) return 0;
    for (int symbol = 0; symbol < count; symbol++)
        if (length[symbol]) sorted[start[length[symbol]]++] = (uint16_t)symbol;
    table[0] = ENTRY(INVALID, 0, 0);
    for (int n = 1; n < 16; n++) {
        if (n <= bits) memcpy(table + (1u << (n - 1)), table, sizeof *table << (n - 1)); /* both go on alike */
        for (int last = nth + has[n]; nth < last; nth++) {
            uint32_t found = entry(sorted[nth]), at = word >> bits, one = 1u << (n - 1);
            if (n <= bits) table[word] = found | (uint32_t)n;
            else { /* a part of its own for words with this beginning, which come one after the other */
                const int room = 1 << (15 - bits);
                if (!at && used + room > size) return 0;
                if (!at) part = table + used, table[word] = ENTRY(LINK, 0, used) | (uint32_t)bits, used += room;
                for (; at < (uint32_t)room; at += 1u << (n - bits)) part[at] = found | (uint32_t)(n - bits);
            }
            while (word & one) one >>= 1;
            word = one ? (word & (one - 1)) | one : 0;
        }
    }
    return 1;
}
typedef struct bits { const uint8_t *at, *end; uint64_t held; int count; } bits;
typedef struct inflater {
    uint32_t longs[LONG_SIZE], fars[FAR_SIZE];
    bits from;
    uint8_t *out, *to;
    size_t room;
    int is_last, in_block;
} inflater;
/* At least 56 bits are held afterwards; those behind the end are zero. */
static void refill(bits *b) { b->held |= le64(b->at) << b->count; b->at += (63 - b->count) >> 3; b->count |= 56; }
static uint32_t take(bits *b, int count) {
    uint32_t value = (uint32_t)(b->held & (((uint64_t)1 << count) - 1));
    b->held >>= count, b->count -= count;
    return value;
}
static int read_tables(inflater *work, bits *b, int kind) {
    static const uint8_t order[19] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    uint8_t length[320] = {0};
    int longs = 288, fars = 32;
    if (kind == 1) {
        for (int symbol = 0; symbol < 320; symbol++)
            length[symbol] = symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : symbol < 288 ? 8 : 5;
    } else {
        uint8_t first[19] = {0};
        refill(b);
        longs = (int)take(b, 5) + 257, fars = (int)take(b, 5) + 1;
        int firsts = (int)take(b, 4) + 4;
        if (longs > 286 || fars > 30) return 0;
        for (int nth = 0; nth < firsts; nth++) { refill(b); first[order[nth]] = (uint8_t)take(b, 3); }
        if (!make_table(work->longs, LONG_SIZE, 7, first, 19, plain_entry)) return 0;
        for (int nth = 0; nth < longs + fars;) {
            if (b->at > b->end + 8) return 0;
            refill(b);
            uint32_t entry = work->longs[b->held & 127];
            int symbol = (int)(entry >> 16), again = 1;
            uint8_t value = 0;
            if (KIND(entry) != ONE) return 0;
            take(b, (int)(entry & 31));
            if (symbol < 16) value = (uint8_t)symbol;
            else if (symbol == 16 && nth == 0) return 0;
            else if (symbol == 16) value = length[nth - 1], again = 3 + (int)take(b, 2);
            else again = symbol == 17 ? 3 + (int)take(b, 3) : 11 + (int)take(b, 7);
            if (nth + again > longs + fars) return 0;
            while (again--) length[nth++] = value;
        }
        if (!length[256]) return 0;
    }
    if (!make_table(work->fars, FAR_SIZE, FAR_BITS, length + longs, fars, far_entry)) return 0;
    if (!make_table(work->longs, LONG_SIZE, LONG_BITS, length, longs, long_entry)) return 0;
    return 1;
}
/* Goes on until the block ends or something stands at `enough`; 0 if it cannot. */
static int inflate_block(inflater *work, const uint8_t *enough) {
    bits b = work->from; /* in registers */
    uint8_t *to = work->to;
    while (to < enough) {
        if (b.at > b.end + 8) return 0;
        refill(&b);
        uint32_t entry = work->longs[b.held & ((1 << LONG_BITS) - 1)];
        for (int nth = 0; nth < 4 && KIND(entry) == ONE; nth++) { /* 44 bits at most */
            take(&b, (int)(entry & 31));
            *to++ = (uint8_t)(entry >> 16);
            entry = work->longs[b.held & ((1 << LONG_BITS) - 1)];
        }
        if (KIND(entry) == ONE) continue;
        refill(&b);
        if (KIND(entry) == LINK) {
            take(&b, LONG_BITS);
            entry = work->longs[(entry >> 16) + (b.held & ((1 << (15 - LONG_BITS)) - 1))];
        }
        take(&b, (int)(entry & 31));
        if (KIND(entry) == ONE) *to++ = (uint8_t)(entry >> 16);
        else if (KIND(entry) == LENGTH) {
            uint32_t length = (entry >> 16) + take(&b, (int)(entry >> 8 & 255));
            entry = work->fars[b.held & ((1 << FAR_BITS) - 1)];
            if (KIND(entry) == LINK) {
                take(&b, FAR_BITS);
                entry = work->fars[(entry >> 16) + (b.held & ((1 << (15 - FAR_BITS)) - 1))];
            }
            if (KIND(entry) != LENGTH) return 0;
            take(&b, (int)(entry & 31));
            size_t back = (entry >> 16) + take(&b, (int)(entry >> 8 & 255));
            if (back > (size_t)(to - work->out)) return 0;
            const uint8_t *old = to - back, *end = to + length;
            if (back >= 8)
                for (; to < end; to += 8, old += 8) memcpy(to, old, 8);
            else if (back == 1) memset(to, *old, length);
            else
                while (to < end) *to++ = *old++;
            to = (uint8_t *)end;
        } else if (KIND(entry) == END) { work->in_block = 0; break; }
        else return 0;
    }
    work->from = b, work->to = to;
    return 1;
}
/* Goes on until there are `enough` bytes, or all, and says how many there are. */
static rmtb_error inflate_until(inflater *work, size_t enough, size_t *made) {
    bits *b = &work->from;
    if (enough > work->room) enough = work->room + 1; /* then it is too much */
    while ((work->in_block || !work->is_last) && (size_t)(work->to - work->out) < enough) {
        uint32_t kind = 3;
        if (!work->in_block) refill(b), work->is_last = (int)take(b, 1), kind = take(b, 2);
        if (kind == 0) { /* stored, from the next whole byte on */
            b->at -= b->count >> 3, b->held = 0, b->count = 0;
            size_t length = le16(b->at), room = work->room - (size_t)(work->to - work->out);
            if ((length ^ le16(b->at + 2)) != 0xffff || length > room) return RMTB_DAMAGED;
            if (b->at > b->end || (size_t)(b->end - b->at) < 4 + length) return RMTB_DAMAGED;
            memcpy(work->to, b->at + 4, length);
            work->to += length, b->at += 4 + length;
        } else {
            if (!work->in_block && (kind == 3 || !read_tables(work, b, (int)kind))) return RMTB_DAMAGED;
            work->in_block = 1;
            if (!inflate_block(work, work->out + enough)) return RMTB_DAMAGED;
            if ((size_t)(work->to - work->out) > work->room || b->at - (b->count >> 3) > b->end) return RMTB_DAMAGED;
        }
    }
    *made = (size_t)(work->to - work->out);
    return RMTB_OK;
}

/* --- files ----------------------------------------------------------------------------------------------------- */
#ifdef _WIN32
static int read_file(void *user, uint64_t offset, void *buffer, size_t length) {
    char *to = (char *)buffer;
    while (length) {
        OVERLAPPED at;
        DWORD got = 0, part = length > 1u << 30 ? 1u << 30 : (DWORD)length;
        memset(&at, 0, sizeof at);
        at.Offset = (DWORD)offset, at.OffsetHigh = (DWORD)(offset >> 32);
        if (!ReadFile((HANDLE)user, to, part, &got, &at) || got == 0) return 1;
        to += got, offset += got, length -= got;
    }
    return 0;
}
static void close_file(void *user) { CloseHandle((HANDLE)user); }
/* A path in UTF-8; longer ones cannot be opened. */
static int widen(const char *path, wchar_t wide[4096]) { return MultiByteToWideChar(CP_UTF8, 0, path, -1, wide, 4096); }
static rmtb_error open_file(const char *path, rmtb_source *source) {
    wchar_t wide[4096];
    LARGE_INTEGER size;
    if (!widen(path, wide)) return RMTB_NO_FILE;
    HANDLE file = CreateFileW(wide, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_DELETE, NULL, OPEN_EXISTING,
                       FILE_FLAG_RANDOM_ACCESS, NULL);
    if (file == INVALID_HANDLE_VALUE) return RMTB_NO_FILE;
    if (!GetFileSizeEx(file, &size)) { CloseHandle(file); return RMTB_READ; }
    source->user = (void *)file, source->size = (uint64_t)size.QuadPart;
    source->read = read_file, source->close = close_file;
    return RMTB_OK;
}
#else
static int read_file(void *user, uint64_t offset, void *buffer, size_t length) {
    char *to = (char *)buffer;
    while (length) {
        ssize_t got = pread((int)(intptr_t)user, to, length, (off_t)offset);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return 1;
        to += got, offset += (uint64_t)got, length -= (size_t)got;
    }
    return 0;
}
static void close_file(void *user) { close((int)(intptr_t)user); }
static rmtb_error open_file(const char *path, rmtb_source *source) {
    struct stat told;
    int file = open(path, O_RDONLY);
    if (file < 0) return RMTB_NO_FILE;
    if (fstat(file, &told) || !S_ISREG(told.st_mode)) { close(file); return RMTB_NO_FILE; }
    source->user = (void *)(intptr_t)file, source->size = (uint64_t)told.st_size;
    source->read = read_file, source->close = close_file;
    return RMTB_OK;
}
#endif

/* --- moves ----------------------------------------------------------------------------------------------------- */
typedef struct board {
    uint64_t by[2], of[KINDS]; /* 0 is White, 1 Black */
    int turn, ep; /* ep: -1, or where a pawn may be captured in passing */
} board;
typedef uint16_t step_t; /* from + 64 to + 4096 promotion, which is a kind, or 0 */
static uint64_t attacks(const lore *l, int kind, int from, uint64_t occupied) {
    uint64_t found = l->reach[kind][from];
    if (kind >= QUEEN && kind <= BISHOP)
        for (uint64_t others = occupied & found; others; others &= others - 1)
            found &= ~l->behind[from][lowest(others)];
    return found;
}
static int is_attacked(const lore *l, const board *b, int square, int by, uint64_t occupied, uint64_t there) {
    uint64_t men = b->by[by] & there, straight = (b->of[ROOK] | b->of[QUEEN]) & l->reach[ROOK][square];
    if (men & ((b->of[KING] & l->reach[KING][square]) | (b->of[KNIGHT] & l->reach[KNIGHT][square]) |
               (b->of[PAWN] & l->pawn[!by][square])))
        return 1;
    men &= straight | ((b->of[BISHOP] | b->of[QUEEN]) & l->reach[BISHOP][square]);
    for (; men; men &= men - 1)
        if (!(l->between[square][lowest(men)] & occupied)) return 1;
    return 0;
}
static int in_check(const lore *l, const board *b, int side) {
    return is_attacked(l, b, lowest(b->of[KING] & b->by[side]), !side, b->by[0] | b->by[1], ~(uint64_t)0);
}
static uint64_t pawn_targets(const lore *l, const board *b, int from) {
    uint64_t free = ~(b->by[0] | b->by[1]), prey = b->by[!b->turn];
    uint64_t once = b->turn ? bit(from) >> 8 & free : bit(from) << 8 & free;
    uint64_t twice = b->turn ? (once & 0xff0000000000u) >> 8 & free : (once & 0xff0000u) << 8 & free;
    if (b->ep >= 0) prey |= bit(b->ep);
    return once | twice | (l->pawn[b->turn][from] & prey);
}
static int keeps_king(const lore *l, const board *b, int kind, int from, int to) {
    uint64_t gone = bit(to), occupied;
    int king = kind == KING ? to : lowest(b->of[KING] & b->by[b->turn]);
    if (kind == PAWN && to == b->ep) gone = bit(to ^ 8);
    occupied = ((b->by[0] | b->by[1]) & ~gone & ~bit(from)) | bit(to);
    return !is_attacked(l, b, king, !b->turn, occupied, ~gone);
}
/* All legal moves; only their number if there is no place for them. */
static int generate(const lore *l, const board *b, step_t *moves) {
    uint64_t ours = b->by[b->turn], occupied = b->by[0] | b->by[1];
    int count = 0;
    for (int kind = 0; kind < KINDS; kind++)
        for (uint64_t men = b->of[kind] & ours; men; men &= men - 1) {
            int from = lowest(men);
            uint64_t to = kind == PAWN ? pawn_targets(l, b, from) : attacks(l, kind, from, occupied) & ~ours;
            for (; to; to &= to - 1) {
                int square = lowest(to), promotes = kind == PAWN && (square < 8 || square > 55);
                if (!keeps_king(l, b, kind, from, square)) continue;
                if (count > RMTB_MAX_MOVES - 4) return count; /* no position of chess */
                for (int into = promotes ? QUEEN : 0; into <= (promotes ? KNIGHT : 0); into++, count++)
                    if (moves) moves[count] = (step_t)(from | square << 6 | into << 12);
            }
        }
    return count;
}
/* The goal that the position itself scores, in White's view. */
static int goal_of(const lore *l, const board *b) {
    int level = 2 * generate(l, b, NULL) + !in_check(l, b, b->turn);
    return b->turn ? BASE - level : level - BASE;
}
/* Returns whether the move is a capture or one of a pawn. */
static int apply(board *b, step_t move) {
    int from = move & 63, to = move >> 6 & 63, into = move >> 12, kind = KING;
    while (!(b->of[kind] & bit(from))) kind++;
    uint64_t gone = kind == PAWN && to == b->ep ? bit(to ^ 8) : b->by[!b->turn] & bit(to);
    b->by[!b->turn] &= ~gone;
    for (int other = 0; other < KINDS; other++) b->of[other] &= ~gone;
    b->by[b->turn] ^= bit(from) | bit(to);
    b->of[kind] ^= bit(from);
    b->of[into ? into : kind] |= bit(to);
    b->ep = kind == PAWN && (from ^ to) == 16 ? (from + to) / 2 : -1;
    b->turn = !b->turn;
    return kind == PAWN || gone;
}
/* Whether a capture en passant is legal; if not, there is no such right. */
static int has_right(const lore *l, board *b) {
    if (b->ep < 0) return 0;
    for (uint64_t men = b->of[PAWN] & b->by[b->turn] & l->pawn[!b->turn][b->ep]; men; men &= men - 1)
        if (keeps_king(l, b, PAWN, lowest(men), b->ep)) return 1;
    b->ep = -1;
    return 0;
}
static rmtb_error to_board(const lore *l, const rmtb_position *p, board *b) {
    const uint64_t of[KINDS] = {p->kings, p->queens, p->rooks, p->bishops, p->knights, p->pawns};
    uint64_t all = 0;
    b->by[0] = p->white, b->by[1] = p->black, b->turn = !p->turn, b->ep = p->ep ? (int)p->ep : -1;
    if (p->white & p->black || (p->turn != 0 && p->turn != 1) || p->ep > 63) return RMTB_ILLEGAL;
    for (int kind = 0; kind < KINDS; all |= b->of[kind] = of[kind], kind++)
        if (all & of[kind]) return RMTB_ILLEGAL;
    if (all != (p->white | p->black) || p->pawns & 0xff000000000000ffu) return RMTB_ILLEGAL;
    if (count_bits(p->white & p->kings) != 1 || count_bits(p->black & p->kings) != 1) return RMTB_ILLEGAL;
    if (b->ep >= 0) { /* the pawn stands in front of the square, which is empty as the one behind it is */
        int before = b->turn ? b->ep - 8 : b->ep + 8, after = b->ep ^ 8;
        if (b->ep >> 3 != (b->turn ? 2 : 5) || !(p->pawns & b->by[!b->turn] & bit(after))) return RMTB_ILLEGAL;
        if (all & (bit(b->ep) | bit(before))) return RMTB_ILLEGAL;
    }
    return in_check(l, b, !b->turn) ? RMTB_ILLEGAL : RMTB_OK;
}

/* --- heads ----------------------------------------------------------------------------------------------------- */
enum { SLICES, INDEX, SHAPES, FORMS, CHUNKS, SECTIONS };
typedef struct likes { int slot, count; uint64_t stride; } likes; /* pieces of a side */
typedef struct table {
    rmtb_error fault; /* why it cannot be asked */
    int id, slim, men, pawns[2], even, groups;
    char material[16];
    uint64_t key, swapped_key;
    uint8_t kind[RMTB_MEN], side[RMTB_MEN], swap[RMTB_MEN]; /* by slot; swap: the other side's slot that is like it */
    likes group[RMTB_MEN];
    uint64_t inner, rows, row[48];
    rmtb_source source;
    uint64_t offset[SECTIONS], size[SECTIONS], numbers;
    int keeps; /* the side that is kept; 2: both */
    uint64_t chunk, per_group, longest, distances, distance_bytes, shape_bytes, form_bytes;
    uint32_t place[16]; /* of each bit of a number within a chunk; what is set is combined by exclusive or */
} table;
struct rmtb_tables {
    lore known;
    rmtb_rules rules;
    int count, largest;
    table *list[MAX_TABLES], *by_key[4096]; /* by_key: open addresses */
};
/* The item on the line that begins with a word and a space; NULL if there is no such line. */
static const char *line_of(const char *head, const char *word) {
    size_t length = strlen(word);
    for (const char *at = head; *at; at = strchr(at, '\n') + 1)
        if (!strncmp(at, word, length) && at[length] == ' ') return at + length + 1;
    return NULL;
}
static int has_line(const char *head, const char *before, const char *rest) {
    char line[64];
    snprintf(line, sizeof line, "\n%s %s\n", before, rest);
    return strstr(head, line) != NULL;
}
/* Whether another line below begins with the same name: one word, or two as in "man R R" and "section forms 4096 8192". */
static int comes_again(const char *line) {
    size_t name = strcspn(line, " \n");
    if (!strncmp(line, "man ", 4) || !strncmp(line, "section ", 8)) name += 1 + strcspn(line + name + 1, " \n");
    for (const char *at = line; *(at = strchr(at, '\n') + 1);)
        if (!strncmp(at, line, name) && (at[name] == ' ' || at[name] == '\n')) return 1;
    return 0;
}
/* Reads a number of up to 19 digits and what stands before it; 0 if there is none. */
static int read_number(const char **at, uint64_t *value) {
    const char *from = *at + (**at == ' ');
    int digits = 0;
    for (*value = 0; from[digits] >= '0' && from[digits] <= '9' && digits < 19; digits++)
        *value = 10 * *value + (uint64_t)(from[digits] - '0');
    *at = from + digits;
    return digits > 0;
}
/* What a position's men are: four bits for each kind but the king, White's first. */
static uint64_t add_to_key(uint64_t key, int side, int kind) { return key + ((uint64_t)1 << (4 * (kind + 6 * side))); }
/* The slots by the material's name, in normal order; 0 if it is no such name. */
static int read_material(table *t) {
    const char *at = t->material;
    int count[2][KINDS] = {{0}};
    for (int side = 0; side < 2; side++) {
        if (*at++ != 'K') return 0;
        for (int last = QUEEN; *at && *at != 'v'; at++, t->men++) {
            const char *letter = strchr(LETTERS + last, *at);
            if (!letter) return 0;
            last = (int)(letter - LETTERS);
            count[side][last]++;
        }
        if (side ? *at : *at++ != 'v') return 0;
    }
    t->men += 2;
    if (t->men > RMTB_MEN) return 0;
    t->side[1] = 1; /* the kings come first, then pieces, then pawns */
    for (int part = 0, made = 2; part < 4; part++)
        for (int side = part & 1, kind = part < 2 ? QUEEN : PAWN; kind <= (part < 2 ? KNIGHT : PAWN); kind++) {
            likes like = {made, count[side][kind], 0};
            if (part < 2 && like.count) t->group[t->groups++] = like;
            for (int nth = 0; nth < like.count; nth++, made++) {
                t->kind[made] = (uint8_t)kind, t->side[made] = (uint8_t)side;
                t->key = add_to_key(t->key, side, kind), t->swapped_key = add_to_key(t->swapped_key, !side, kind);
            }
        }
    t->inner = 1;
    for (int nth = t->groups; nth--; t->inner *= choose(64, t->group[nth].count)) t->group[nth].stride = t->inner;
    t->even = t->key == t->swapped_key;
    for (int slot = 0; t->even && slot < t->men; slot++) {
        int nth = 0, other = 0; /* nth: among those that are like it */
        while (nth < slot && t->kind[slot - nth - 1] == t->kind[slot] && t->side[slot - nth - 1] == t->side[slot])
            nth++;
        while (t->kind[other] != t->kind[slot] || t->side[other] == t->side[slot]) other++;
        t->swap[slot] = (uint8_t)(other + nth);
    }
    t->pawns[0] = count[0][PAWN], t->pawns[1] = count[1][PAWN];
    t->rows = choose(48, t->pawns[0]) * choose(48, t->pawns[1]);
    return 1;
}
/* Turns the order of places round: which place has a number. 0 if some number has none. */
static int read_order(const char *at, table *t, int bits_) {
    uint32_t step[16], place[16];
    uint64_t value;
    for (int b = 0; b < bits_; b++) {
        if (!read_number(&at, &value) || value >= t->chunk) return 0;
        step[b] = (uint32_t)value, place[b] = 1u << b;
    }
    for (int b = 0; b < bits_; b++) {
        int pivot = b;
        while (pivot < bits_ && !(step[pivot] >> b & 1)) pivot++;
        if (pivot == bits_) return 0;
        uint32_t s = step[pivot], p = place[pivot];
        step[pivot] = step[b], place[pivot] = place[b], step[b] = s, place[b] = p;
        for (int other = 0; other < bits_; other++)
            if (other != b && step[other] >> b & 1) step[other] ^= s, place[other] ^= p;
    }
    for (int b = 0; b < bits_; b++) t->place[b] = place[b];
    return *at == '\n';
}
static int read_sections(const char *head, table *t) {
    static const char *const names[SECTIONS] = {"section slices", "section index", "section shapes", "section forms",
                                                "section chunks"};
    for (int nth = 0; nth < SECTIONS; nth++) {
        const char *at = line_of(head, names[nth]);
        if (!at) continue;
        if (!read_number(&at, &t->offset[nth]) || !read_number(&at, &t->size[nth]) || *at != '\n') return 0;
        if (t->offset[nth] > t->source.size || t->size[nth] > t->source.size - t->offset[nth]) return 0;
    }
    return 1;
}
static int sizes_fit(const char *head, table *t) {
    static const char *const moves[KINDS] = {"K WF", "Q RB", "R R", "B B", "N N", "P fmWfceFifmnD"};
    uint64_t size;
    int bits_ = 0, pawns = t->pawns[0] + t->pawns[1];
    char men[RMTB_MEN + 1] = {0};
    for (int slot = 0; slot < t->men; slot++) {
        men[slot] = (char)(LETTERS[t->kind[slot]] | (t->side[slot] ? 32 : 0));
        if (!has_line(head, "man", moves[t->kind[slot]])) return 0;
    }
    const struct { const char *word; uint64_t least, most, *value; } lines[] = {
        {"size", t->source.size, t->source.size, &size}, {"group", 1, MAX_GROUP, &t->per_group},
        {"numbers", 0, 2 * t->rows * (pawns ? 3612 : 462) * t->inner, &t->numbers}, {"chunk", 4, MAX_CHUNK, &t->chunk},
        {"distances", 1, 255, &t->distances}, {"distance_bytes", 0, 2, &t->distance_bytes},
        {"shape_bytes", 0, 3, &t->shape_bytes}, {"form_bytes", 0, 4, &t->form_bytes},
        {"longest", 0, UINT32_MAX, &t->longest}};
    for (size_t nth = 0; nth < sizeof lines / sizeof *lines; nth++) {
        const char *at = line_of(head, lines[nth].word);
        if (!at || !read_number(&at, lines[nth].value) || *at != '\n') return 0;
        if (*lines[nth].value < lines[nth].least || *lines[nth].value > lines[nth].most) return 0;
    }
    while (t->chunk >> bits_ > 1) bits_++;
    if (t->chunk != (uint64_t)1 << bits_ || t->chunk * t->per_group > MAX_GROUP) return 0;
    if (t->longest > t->chunk * (1 + t->shape_bytes + t->distances * t->distance_bytes)) return 0;
    const char *order = line_of(head, "order"), *rows = line_of(head, "rows");
    if (!has_line(head, "men", men) || !order || !read_order(order, t, bits_) || !read_sections(head, t)) return 0;
    uint64_t groups = (t->numbers + t->chunk * t->per_group - 1) / (t->chunk * t->per_group);
    if (t->size[INDEX] != groups * (28 + 8 * t->per_group) || t->size[FORMS] % PAGE) return 0;
    if (pawns > 1) return t->size[SLICES] == (t->rows + ROWS_PER_PAGE - 1) / ROWS_PER_PAGE * PAGE;
    for (uint64_t nth = 0; nth < t->rows; nth++)
        if (!rows || !read_number(&rows, &t->row[nth])) return 0;
    return *rows == '\n';
}
/* What the head says, once it has been read and has its checksum. */
static rmtb_error read_head(const rmtb_tables *all, table *t) {
    char head[PAGE + 1];
    const char *at, *last = NULL;
    if (t->source.size < PAGE) return RMTB_DAMAGED;
    if (t->source.read(t->source.user, 0, head, PAGE)) return RMTB_READ;
    head[PAGE] = 0;
    size_t length = strlen(head);
    for (size_t rest = length; rest < PAGE; rest++)
        if (head[rest]) return RMTB_DAMAGED;
    if (!length || head[length - 1] != '\n' || strncmp(head, "tbgen endgame table\n", 20)) return RMTB_DAMAGED;
    for (at = head; *at; last = at, at = strchr(at, '\n') + 1)
        if (comes_again(at)) return RMTB_DAMAGED;
    if (strncmp(last, "crc32 ", 6) || strlen(last) != 15) return RMTB_DAMAGED;
    uint32_t sum = (uint32_t)strtoul(last + 6, NULL, 16);
    if (!has_crc32(&all->known, (const uint8_t *)head, (size_t)(last - head), sum)) return RMTB_DAMAGED;
    at = line_of(head, "format");
    if (!at || strncmp(at, "1.", 2) || !has_line(head, "bound", "complete")) return RMTB_UNSUPPORTED;
    if (!has_line(head, "rules", all->rules == RMTB_R ? "r" : "wg")) return RMTB_UNSUPPORTED;
    at = line_of(head, "material");
    length = at ? strcspn(at, "\n") : sizeof t->material;
    if (length >= sizeof t->material) return RMTB_UNSUPPORTED;
    memcpy(t->material, at, length);
    t->keeps = has_line(head, "keeps", "both") ? 2 : has_line(head, "keeps", "first") ? 0 : 1;
    if (t->keeps == 1 && !has_line(head, "keeps", "second")) return RMTB_DAMAGED;
    t->slim = t->keeps != 2;
    if (!read_material(t)) return RMTB_UNSUPPORTED;
    return sizes_fit(head, t) ? RMTB_OK : RMTB_DAMAGED;
}
/* Where the table with this key is, first side White. */
static table **slot_of(rmtb_tables *all, uint64_t key) {
    unsigned at = (unsigned)((key * 0x9e3779b97f4a7c15u) >> 52);
    while (all->by_key[at] && all->by_key[at]->key != key) at = (at + 1) & 4095;
    return &all->by_key[at];
}
/* Takes a table in, if there is none for the same men that is as good. */
static rmtb_error enlist(rmtb_tables *all, table *t) {
    table **slot = slot_of(all, t->key), *there = *slot;
    if (there && (t->fault || !(there->fault || (there->slim && !t->slim)))) return LEFT_OUT;
    if (all->count == MAX_TABLES) return RMTB_MEMORY;
    t->id = all->count;
    if (t->men > all->largest) all->largest = t->men;
    all->list[all->count++] = *slot = t;
    return RMTB_OK;
}
/* `material`: what the name of the file says, if there is one. What is damaged then stands for what it should be. */
static rmtb_error add(rmtb_tables *all, const rmtb_source *source, const char *material) {
    table *t = (table *)calloc(1, sizeof *t);
    rmtb_error error = RMTB_MEMORY;
    if (t) {
        t->source = *source;
        error = read_head(all, t);
        if (material && (error || strcmp(material, t->material))) {
            memset(t, 0, sizeof *t);
            t->source = *source, t->fault = error ? error : RMTB_DAMAGED;
            strcpy(t->material, material);
            error = read_material(t) ? RMTB_OK : RMTB_UNSUPPORTED;
        }
        if (!error) error = enlist(all, t);
        if (!error) return RMTB_OK;
    }
    free(t);
    if (source->close) source->close(source->user);
    return error == LEFT_OUT ? RMTB_OK : error;
}
rmtb_error rmtb_new(rmtb_rules rules, rmtb_tables **tables) {
    *tables = (rmtb_tables *)calloc(1, sizeof **tables);
    if (!*tables) return RMTB_MEMORY;
    learn(&(*tables)->known);
    (*tables)->rules = rules;
    return RMTB_OK;
}
rmtb_error rmtb_add_source(rmtb_tables *tables, const rmtb_source *source) { return add(tables, source, NULL); }
/* A file of a directory, if its name is that of a table. */
static rmtb_error add_entry(rmtb_tables *all, const char *directory, const char *name) {
    char path[4096];
    const char *rules = all->rules == RMTB_R ? ".r" : ".wg", *end;
    size_t length = strcspn(name, "."), of_rules = strlen(rules);
    table named;
    rmtb_source source;
    if (length >= sizeof named.material || strncmp(name + length, rules, of_rules)) return RMTB_OK;
    end = name + length + of_rules;
    if (strcmp(end, ".h5") && strcmp(end, ".slim.h5")) return RMTB_OK;
    memset(&named, 0, sizeof named);
    memcpy(named.material, name, length);
    if (!read_material(&named)) return RMTB_OK;
    if (snprintf(path, sizeof path, "%s/%s", directory, name) >= (int)sizeof path) return RMTB_NO_FILE;
    TRY(open_file(path, &source));
    return add(all, &source, named.material);
}
rmtb_error rmtb_add_directory(rmtb_tables *tables, const char *directory) {
    rmtb_error error = RMTB_OK;
#ifdef _WIN32
    char pattern[4096], name[1024];
    wchar_t wide[4096];
    WIN32_FIND_DATAW found;
    if (snprintf(pattern, sizeof pattern, "%s/*", directory) >= (int)sizeof pattern) return RMTB_NO_FILE;
    if (!widen(pattern, wide)) return RMTB_NO_FILE;
    HANDLE search = FindFirstFileW(wide, &found);
    if (search == INVALID_HANDLE_VALUE) return RMTB_NO_FILE;
    do {
        if (WideCharToMultiByte(CP_UTF8, 0, found.cFileName, -1, name, sizeof name, NULL, NULL))
            error = add_entry(tables, directory, name);
    } while (!error && FindNextFileW(search, &found));
    FindClose(search);
#else
    DIR *listing = opendir(directory);
    if (!listing) return RMTB_NO_FILE;
    for (struct dirent *found; !error && (found = readdir(listing)) != NULL;)
        error = add_entry(tables, directory, found->d_name);
    closedir(listing);
#endif
    return error;
}
rmtb_error rmtb_open(const char *directory, rmtb_rules rules, rmtb_tables **tables) {
    TRY(rmtb_new(rules, tables));
    rmtb_error error = rmtb_add_directory(*tables, directory);
    if (error) rmtb_close(*tables), *tables = NULL;
    return error;
}
void rmtb_close(rmtb_tables *tables) {
    if (!tables) return;
    for (int nth = 0; nth < tables->count; nth++) {
        const rmtb_source *source = &tables->list[nth]->source;
        if (source->close) source->close(source->user);
        free(tables->list[nth]);
    }
    free(tables);
}
int rmtb_largest(const rmtb_tables *tables) { return tables->largest; }

/* --- the cache ------------------------------------------------------------------------------------------------- */
/* What has been read: a page of rows, of the index or of forms, a list of shapes or a chunk. Its data stand behind. */
typedef struct block {
    struct block *newer, *older, *next; /* next: with the same hash */
    uint64_t key;
    size_t size;
    uint32_t count, escapes; /* shapes, forms or runs; shapes that are there, steps of forms or places with 255 */
    uint32_t words;          /* before what is stored of a chunk */
    uint32_t crc;            /* of the list of shapes: a chunk goes with one, even if its file is written to */
} block;
/* A chunk's data. Its distances are sorted by shape: `starts` has where each shape begins, and at last the end, `ranks`
 * where each of the places with 255 comes among these. Where stored distances are wanted, there are runs of a shape:
 * the `first` place of each, and where its offsets in `raw` begin; `totals` has how many places have each distance. */
typedef struct chunk_view {
    uint32_t *starts, *ranks, *totals, *first, *begins, *offsets;
    uint8_t *raw, *fresh;
} chunk_view;
enum { KEPT_BLOCKS = 6 }; /* a look needs no more at once, whatever the budget */
struct rmtb_reader {
    const rmtb_tables *all;
    size_t budget, used;
    block ring, *by_hash[1 << 14]; /* ring: its `older` is the newest block, its `newer` the oldest */
    int blocks, searched, depth;
    uint8_t *in, *out, *sorted; /* sorted: of places, as u4 */
    size_t in_room, out_room, sorted_room;
    inflater work;
};
static const uint8_t *data_of(const block *b) { return (const uint8_t *)(b + 1); }
static block **chain_of(rmtb_reader *r, uint64_t key) { return &r->by_hash[(key * 0x9e3779b97f4a7c15u) >> 50]; }
static void unlink_block(block *b) { b->newer->older = b->older, b->older->newer = b->newer; }
static void put_first(rmtb_reader *r, block *b) {
    b->newer = &r->ring, b->older = r->ring.older;
    b->older->newer = r->ring.older = b;
}
static void drop(rmtb_reader *r, block *b) {
    block **at = chain_of(r, b->key);
    while (*at != b) at = &(*at)->next;
    *at = b->next;
    unlink_block(b);
    r->used -= b->size, r->blocks--;
    free(b);
}
static uint64_t key_of(const table *t, int section, uint64_t number) {
    return (uint64_t)t->id << 52 | (uint64_t)section << 48 | number;
}
static block *find(rmtb_reader *r, uint64_t key) {
    block *b = *chain_of(r, key);
    while (b && b->key != key) b = b->next;
    if (b) unlink_block(b), put_first(r, b);
    return b;
}
/* A new block for so many bytes of data; NULL without memory. */
static block *keep(rmtb_reader *r, uint64_t key, size_t bytes) {
    block *b = (block *)malloc(sizeof *b + bytes);
    if (!b) return NULL;
    memset(b, 0, sizeof *b);
    b->key = key, b->size = sizeof *b + bytes;
    block **chain = chain_of(r, key);
    b->next = *chain, *chain = b;
    put_first(r, b);
    r->used += b->size, r->blocks++;
    while (r->used > r->budget && r->blocks > KEPT_BLOCKS) drop(r, r->ring.newer);
    return b;
}
static rmtb_error make_room(uint8_t **buffer, size_t *room, size_t needed) {
    if (needed <= *room) return RMTB_OK;
    uint8_t *more = (uint8_t *)realloc(*buffer, needed);
    if (!more) return RMTB_MEMORY;
    *buffer = more, *room = needed;
    return RMTB_OK;
}
/* Reads a part of a section into the reader's buffer, with room behind it. */
static rmtb_error read_part(rmtb_reader *r, const table *t, int section, uint64_t offset, size_t length) {
    if (offset > t->size[section] || length > t->size[section] - offset) return RMTB_DAMAGED;
    TRY(make_room(&r->in, &r->in_room, length + IN_SLACK));
    memset(r->in + length, 0, IN_SLACK);
    if (t->source.read(t->source.user, t->offset[section] + offset, r->in, length)) return RMTB_READ;
    return RMTB_OK;
}
/* Begins to inflate what has been read, behind `plain` bytes, into at most `most`. */
static rmtb_error start(rmtb_reader *r, size_t plain, size_t length, size_t most) {
    inflater *work = &r->work;
    TRY(make_room(&r->out, &r->out_room, most + OUT_SLACK));
    work->from.at = r->in + plain, work->from.end = r->in + length, work->from.held = 0, work->from.count = 0;
    work->out = work->to = r->out, work->room = most, work->is_last = work->in_block = 0;
    return RMTB_OK;
}
/* A page that is kept as it is stored: the checksum at `check` is that of what lies before. */
static rmtb_error page_of(rmtb_reader *r, const table *t, int section, uint64_t nth, size_t length, size_t check,
                          const uint8_t **page) {
    uint64_t key = key_of(t, section, nth);
    block *b = find(r, key);
    if (!b) {
        TRY(read_part(r, t, section, nth * length, length));
        if (!has_crc32(&r->all->known, r->in, check, le32(r->in + check))) return RMTB_DAMAGED;
        if (!(b = keep(r, key, length))) return RMTB_MEMORY;
        memcpy(b + 1, r->in, length);
    }
    *page = data_of(b);
    return RMTB_OK;
}
static rmtb_error index_page(rmtb_reader *r, const table *t, uint64_t group, const uint8_t **page) {
    return page_of(r, t, INDEX, group, 28 + 8 * (size_t)t->per_group, 24 + 8 * (size_t)t->per_group, page);
}
/* Reads what is deflated, behind `plain` bytes, and checks it. */
static rmtb_error read_deflated(rmtb_reader *r, const table *t, int section, uint64_t offset, size_t length,
                                uint32_t crc, size_t plain, size_t most) {
    if (length < plain || length > 2 * most + 1024) return RMTB_DAMAGED; /* no packer makes so much of it */
    TRY(read_part(r, t, section, offset, length));
    return has_crc32(&r->all->known, r->in, length, crc) ? start(r, plain, length, most) : RMTB_DAMAGED;
}
/* The list of shapes of a group, its blocks joined to planes, up to `wanted`. The first is shape 1. */
static rmtb_error shapes_of(rmtb_reader *r, const table *t, uint64_t group, size_t wanted, block **shapes) {
    uint64_t key = key_of(t, SHAPES, group);
    size_t each = 3 + (size_t)t->form_bytes, most = (size_t)t->chunk * t->per_group, made, some;
    const uint8_t *page; uint8_t *planes;
    block *b = *shapes = find(r, key);
    if (b && (wanted <= b->escapes || b->escapes == b->count)) return RMTB_OK;
    TRY(index_page(r, t, group, &page));
    const uint32_t crc = le32(page + 20);
    TRY(read_deflated(r, t, SHAPES, le64(page + 8), le32(page + 16), crc, 4, most * each));
    size_t count = le32(r->in), there = count;
    if (count > most || (b && (b->crc != crc || b->count != count))) return RMTB_DAMAGED;
    if (wanted < count && ((wanted - 1) | 255) < count) there = ((wanted - 1) | 255) + 1; /* whole blocks */
    TRY(inflate_until(&r->work, there < count ? there * each : SIZE_MAX, &made));
    if (there < count ? made < there * each : made != count * each) return RMTB_DAMAGED;
    if (!b && !(b = *shapes = keep(r, key, count * each))) return RMTB_MEMORY;
    b->count = (uint32_t)count, b->escapes = (uint32_t)there, b->crc = crc, planes = (uint8_t *)(b + 1);
    for (size_t at = 0; at < there; at += some) {
        some = there - at < 256 ? there - at : 256; /* of a block; its columns go where those of all are */
        for (size_t p = 0; p < each; p++) memcpy(planes + p * count + at, r->out + at * each + p * some, some);
    }
    return RMTB_OK;
}
static chunk_view view_of(const table *t, const block *b) {
    chunk_view v;
    v.starts = (uint32_t *)(b + 1), v.ranks = v.starts + 257, v.totals = v.ranks + b->escapes;
    v.first = v.totals + t->distances, v.begins = v.first + b->count, v.offsets = v.begins + b->count;
    v.raw = (uint8_t *)(v.starts + b->words), v.fresh = v.raw + t->chunk + b->escapes * t->shape_bytes;
    return v;
}
static void count_places(const table *t, const uint8_t *raw, uint32_t starts[257]) {
    uint32_t lanes[4][256] = {{0}}; /* neighbours are often alike, and then one would wait for the other */
    for (uint32_t p = 0; p < t->chunk; p++) lanes[p & 3][raw[p]]++;
    starts[0] = starts[1] = 0;
    for (int s = 1; s < 256; s++) starts[s + 1] = starts[s] + lanes[0][s] + lanes[1][s] + lanes[2][s] + lanes[3][s];
}
/* The places with 255, sorted by shape, from its lowest byte on. */
static uint32_t *sort_places(const table *t, const uint8_t *planes, uint32_t count, uint32_t *from) {
    uint32_t *to = from + count, *swap;
    for (uint32_t e = 0; e < count; e++) from[e] = e;
    for (uint64_t p = 0; p < t->shape_bytes; p++, planes += count) {
        uint32_t next[257] = {0};
        for (uint32_t e = 0; e < count; e++) next[planes[e] + 1]++;
        for (int byte = 0; byte < 255; byte++) next[byte + 1] += next[byte];
        for (uint32_t e = 0; e < count; e++) to[next[planes[from[e]]]++] = from[e];
        swap = from, from = to, to = swap;
    }
    return from;
}
/* Goes over the runs of sorted places: adds to `next` what they have of each distance, and fills `v`, if there. */
static rmtb_error go_over(const table *t, const block *shapes, const uint32_t *shape, uint32_t legal,
                          uint32_t next[255], chunk_view *v, uint32_t *count, uint32_t *offsets) {
    const uint8_t *held = data_of(shapes) + 2 * (size_t)shapes->count;
    *count = *offsets = 0;
    for (uint32_t from = 0, end; from < legal; from = end, ++*count) {
        uint32_t s = shape[from];
        if (s > shapes->count || held[s - 1] - 1u >= t->distances) return RMTB_DAMAGED;
        for (end = from + 1; end < legal && shape[end] == s;) end++;
        if (v) v->first[*count] = from, v->begins[*count] = *offsets;
        for (int n = 0; n < held[s - 1]; n++, ++*offsets) {
            if (v) v->offsets[*offsets] = next[n];
            next[n] += end - from;
        }
    }
    return RMTB_OK;
}
/* Reads a chunk, and finds out where the distances of each place are: the fresh ones, or all. */
static rmtb_error chunk_of(rmtb_reader *r, const table *t, uint64_t number, int wants_all, block **chunk) {
    uint64_t key = key_of(t, CHUNKS, number), nth = number % t->per_group;
    uint32_t starts[257], next[255] = {0}, runs = 0, offsets = 0;
    size_t made;
    const uint8_t *page;
    block *shapes;
    if ((*chunk = find(r, key)) != NULL && (*chunk)->count >= (uint32_t)wants_all) return RMTB_OK;
    if (wants_all) TRY(shapes_of(r, t, number / t->per_group, SIZE_MAX, &shapes));
    TRY(index_page(r, t, number / t->per_group, &page));
    const uint32_t length = le32(page + 24 + 4 * nth), crc = le32(page + 20);
    uint64_t offset = le64(page);
    for (uint64_t before = 0; before < nth; before++) offset += le32(page + 24 + 4 * before);
    TRY(read_deflated(r, t, CHUNKS, offset, length, le32(page + 24 + 4 * (t->per_group + nth)), 0, t->longest));
    TRY(inflate_until(&r->work, (size_t)t->chunk, &made));
    if (made < t->chunk) return RMTB_DAMAGED;
    count_places(t, r->out, starts);
    uint32_t legal = starts[256], escapes = legal - starts[255], words = 257 + escapes;
    size_t at = t->chunk + escapes * t->shape_bytes, fresh = at + legal * t->distance_bytes;
    TRY(inflate_until(&r->work, wants_all ? SIZE_MAX : fresh, &made));
    if (made < fresh) return RMTB_DAMAGED;
    TRY(make_room(&r->sorted, &r->sorted_room, ((size_t)escapes * 2 + legal + 1) * 4));
    uint32_t *shape = (uint32_t *)(void *)r->sorted;
    uint32_t *sorted = sort_places(t, r->out + t->chunk, escapes, shape + legal);
    if (wants_all) {
        for (uint32_t s = 1; s < 255; s++)
            for (uint32_t place = starts[s]; place < starts[s + 1]; place++) shape[place] = s;
        for (uint32_t e = 0; e < escapes; e++)
            shape[starts[255] + e] = 255 + in_planes(r->out + t->chunk, escapes, t->shape_bytes, sorted[e]);
        TRY(go_over(t, shapes, shape, legal, next, NULL, &runs, &offsets));
        words += (uint32_t)t->distances + 2 * runs + offsets;
    }
    if (*chunk) drop(r, *chunk);
    if (!(*chunk = keep(r, key, (size_t)words * 4 + made))) return RMTB_MEMORY;
    (*chunk)->escapes = escapes, (*chunk)->count = runs, (*chunk)->words = words, (*chunk)->crc = crc;
    chunk_view v = view_of(t, *chunk);
    memcpy(v.starts, starts, sizeof starts);
    for (uint32_t e = 0; e < escapes; e++) v.ranks[sorted[e]] = e;
    memcpy(v.raw, r->out, made);
    if (!wants_all) return RMTB_OK;
    memcpy(v.totals, next, t->distances * sizeof *next);
    for (uint64_t n = 0; n < t->distances; n++) next[n] = (uint32_t)at, at += v.totals[n] * t->distance_bytes;
    if (at != made || crc != shapes->crc) return drop(r, *chunk), RMTB_DAMAGED;
    return go_over(t, shapes, shape, legal, next, &v, &runs, &offsets);
}
/* A page of forms as it is stored; `escapes` is the number of their steps. */
static rmtb_error forms_of(rmtb_reader *r, const table *t, uint64_t number, block **forms) {
    uint64_t key = key_of(t, FORMS, number);
    size_t made, most = 2 + FORMS_PER_PAGE + (size_t)4 * FORMS_PER_PAGE * MAX_STEPS;
    if ((*forms = find(r, key)) != NULL) return RMTB_OK;
    TRY(read_part(r, t, FORMS, number * PAGE, PAGE));
    if (!has_crc32(&r->all->known, r->in + 4, PAGE - 4, le32(r->in))) return RMTB_DAMAGED;
    TRY(start(r, 4, PAGE, most));
    TRY(inflate_until(&r->work, SIZE_MAX, &made));
    uint32_t count = made < 2 ? 0 : le16(r->out), steps = 0;
    if (!count || count > FORMS_PER_PAGE || made < 2 + count) return RMTB_DAMAGED;
    for (uint32_t f = 0; f < count; f++) steps += r->out[2 + f];
    if (made != 2 + count + 4 * (size_t)steps) return RMTB_DAMAGED;
    if (!(*forms = keep(r, key, made))) return RMTB_MEMORY;
    (*forms)->count = count, (*forms)->escapes = steps;
    memcpy(*forms + 1, r->out, made);
    return RMTB_OK;
}
rmtb_error rmtb_reader_new(const rmtb_tables *tables, size_t budget, rmtb_reader **reader) {
    rmtb_reader *r = *reader = (rmtb_reader *)calloc(1, sizeof *r);
    if (!r) return RMTB_MEMORY;
    r->all = tables, r->budget = budget, r->ring.newer = r->ring.older = &r->ring;
    return RMTB_OK;
}
void rmtb_reader_free(rmtb_reader *reader) {
    if (!reader) return;
    while (reader->ring.newer != &reader->ring) drop(reader, reader->ring.newer);
    free(reader->in), free(reader->out), free(reader->sorted), free(reader);
}

/* --- from a position to its number ------------------------------------------------------------------------------- */
static void turn_men(const lore *l, const table *t, int symmetry, uint8_t *squares) {
    for (int slot = 0; slot < t->men; slot++) squares[slot] = l->turned[symmetry][squares[slot]];
}
static void swap_sides(const table *t, uint8_t *squares) {
    uint8_t before[RMTB_MEN];
    memcpy(before, squares, RMTB_MEN);
    for (int slot = 0; slot < t->men; slot++) squares[slot] = before[t->swap[slot]];
}
/* C(first, 1) + C(second, 2) + ... of squares in rising order, which are put into it. */
static uint64_t rank_of(uint8_t *squares, int count, int less) {
    uint64_t rank = 0;
    for (int nth = 1; nth < count; nth++)
        for (int at = nth; at > 0 && squares[at] < squares[at - 1]; at--) {
            uint8_t square = squares[at];
            squares[at] = squares[at - 1], squares[at - 1] = square;
        }
    for (int nth = 0; nth < count; nth++) rank += choose(squares[nth] - less, nth + 1);
    return rank;
}
/* The table of a position, which side its first one is, and the position's number. */
static rmtb_error locate(rmtb_reader *r, const board *b, const table **found, int *first, uint64_t *number) {
    const lore *l = &r->all->known;
    uint8_t squares[RMTB_MEN], king[RMTB_MEN];
    uint64_t key = 0, swapped = 0, row;
    for (int kind = QUEEN; kind < KINDS; kind++)
        for (int side = 0; side < 2; side++)
            for (uint64_t men = b->of[kind] & b->by[side]; men; men &= men - 1)
                key = add_to_key(key, side, kind), swapped = add_to_key(swapped, !side, kind);
    const table *t = *slot_of((rmtb_tables *)r->all, key);
    *first = t == NULL;
    if (!t) t = *slot_of((rmtb_tables *)r->all, swapped);
    if (!t) return RMTB_MISSING;
    if (t->fault) return t->fault;
    *found = t;
    for (int slot = 0; slot < t->men;) {
        uint64_t men = b->of[t->kind[slot]] & b->by[t->side[slot] ^ *first];
        for (; men; men &= men - 1) squares[slot++] = (uint8_t)(lowest(men) ^ (*first ? 56 : 0));
    }
    int mover = b->turn ^ *first, pawn = t->men - t->pawns[0] - t->pawns[1];
    row = rank_of(squares + pawn, t->pawns[0], 8) * choose(48, t->pawns[1]);
    row += rank_of(squares + pawn + t->pawns[0], t->pawns[1], 8);
    if (t->pawns[0] + t->pawns[1] > 1) {
        const uint8_t *page;
        TRY(page_of(r, t, SLICES, row / ROWS_PER_PAGE, PAGE, 8 * ROWS_PER_PAGE, &page));
        row = le64(page + 8 * (row % ROWS_PER_PAGE));
    } else row = t->row[row];
    int family = row >> 4 & 3, flip = (int)(row >> 8 & 15) - 1;
    if (family == 3 || flip > 7 || (row >> 3 & 1 && !t->even) || (flip >= 0 && !t->even)) return RMTB_DAMAGED;
    turn_men(l, t, row & 7, squares);
    if (row >> 3 & 1) swap_sides(t, squares), mover = !mover;
    if (flip >= 0 && mover) turn_men(l, t, flip, squares), swap_sides(t, squares), mover = 0;
    if (t->slim && flip < 0) {
        if (mover != t->keeps) return LEFT_OUT;
        mover = 0;
    }
    int code = 64 * squares[0] + squares[1];
    uint16_t pair = l->pair[family][code];
    turn_men(l, t, l->turn_by[family][code], squares);
    if (pair == NO_PAIR) return RMTB_DAMAGED;
    *number = (row >> 16) + ((uint64_t)(mover * l->pairs[family]) + pair) * t->inner;
    for (int nth = 0; nth < t->groups; nth++) {
        const likes *g = &t->group[nth];
        memcpy(king, squares + g->slot, (size_t)g->count);
        *number += g->stride * rank_of(king, g->count, 0);
    }
    return *number < t->numbers ? RMTB_OK : RMTB_DAMAGED;
}

/* --- what a table says ------------------------------------------------------------------------------------------- */
typedef struct step { int holder, level, outcome, distance; } step; /* holder: 1 is the side to move */
typedef struct entry { int outcome, distance, count; step steps[MAX_STEPS]; } entry;
static int level_of(int outcome) { return BASE - abs(outcome); }
static int is_outcome(int value) { return level_of(value) >= 0 && level_of(value) <= MAX_LEVEL; }
/* What a chunk says of the nth place by shape: fresh outcome, distance, and, if the outcome is at least of a level, the
 * steps, in the view of the side to move. */
static rmtb_error tell(rmtb_reader *r, const table *t, uint64_t number, block *chunk, uint32_t shape, uint32_t rank,
                       int level, entry *e) {
    chunk_view v = view_of(t, chunk);
    block *shapes, *forms;
    int half[255];
    TRY(shapes_of(r, t, number / t->per_group, shape, &shapes));
    if (shapes->crc != chunk->crc || shape > shapes->count) return RMTB_DAMAGED;
    size_t count = shapes->count;
    int held = data_of(shapes)[2 * count + shape - 1];
    int worth = signed16(in_planes(data_of(shapes), count, 2, shape - 1));
    uint32_t form = in_planes(data_of(shapes) + 3 * count, count, t->form_bytes, shape - 1);
    e->outcome = worth >> 1, e->count = 0;
    e->distance = 2 * (int)in_planes(v.fresh, v.starts[256], t->distance_bytes, rank) + (worth & 1);
    if (!is_outcome(e->outcome) || (!form && held != 1)) return RMTB_DAMAGED;
    if (!form || level_of(e->outcome) < level) return RMTB_OK;
    if (held > 1) {
        TRY(chunk_of(r, t, number, 1, &chunk));
        v = view_of(t, chunk);
        uint32_t run = 0, after = chunk->count;
        while (after - run > 1) *(v.first[(run + after) / 2] <= rank ? &run : &after) = (run + after) / 2;
        const uint32_t *offset = v.offsets + v.begins[run], in_run = rank - v.first[run];
        for (int n = 1; n < held; n++)
            half[n] = (int)in_planes(v.raw + offset[n], v.totals[n], t->distance_bytes, in_run);
    }
    TRY(forms_of(r, t, form / FORMS_PER_PAGE, &forms));
    form %= FORMS_PER_PAGE;
    if (form >= forms->count) return RMTB_DAMAGED;
    const uint8_t *lengths = data_of(forms) + 2, *steps = lengths + forms->count;
    for (uint32_t other = 0; other < form; other++) steps += lengths[other];
    size_t total = forms->escapes;
    int nth = 0, before = e->distance;
    for (int s = 0; s < lengths[form]; s++) {
        const uint8_t *at = steps + s;
        step *made = &e->steps[s];
        if (at[0] >> 3) return RMTB_DAMAGED;
        if (at[0] & 2) {
            if (++nth >= held) return RMTB_DAMAGED;
            before = 2 * half[nth] + (at[0] & 1);
        } else if (!(at[0] & 1)) before = e->distance;
        made->holder = at[0] >> 2, made->level = at[total];
        made->outcome = signed16(at[2 * total] | (uint32_t)at[3 * total] << 8), made->distance = before;
        if (!is_outcome(made->outcome)) return RMTB_DAMAGED;
    }
    e->count = lengths[form];
    return nth == held - 1 ? RMTB_OK : RMTB_DAMAGED;
}
static rmtb_error look(rmtb_reader *r, const table *t, uint64_t number, int level, entry *e) {
    block *chunk;
    uint32_t within = (uint32_t)(number % t->chunk), place = 0, shape, nth;
    TRY(chunk_of(r, t, number / t->chunk, 0, &chunk));
    chunk_view v = view_of(t, chunk);
    for (int b = 0; within >> b; b++)
        if (within >> b & 1) place ^= t->place[b];
    shape = v.raw[place];
    nth = (uint32_t)count_byte(v.raw, place, (uint8_t)shape);
    if (shape == 255) shape += in_planes(v.raw + t->chunk, chunk->escapes, t->shape_bytes, nth), nth = v.ranks[nth];
    nth += v.starts[v.raw[place]];
    return shape ? tell(r, t, number / t->chunk, chunk, shape, nth, level, e) : RMTB_ILLEGAL;
}

/* --- probes ---------------------------------------------------------------------------------------------------- */
static rmtb_error worth(rmtb_reader *r, board *b, int record, rmtb_result *result);
/* What a move is worth under the record that stands. The outcome is known where the game is over, whatever is there. */
static rmtb_error try_move(rmtb_reader *r, const board *b, step_t move, int standing, rmtb_move *m) {
    board after = *b;
    rmtb_result result;
    m->reset = (uint8_t)(apply(&after, move) && r->all->rules == RMTB_R);
    m->from = move & 63, m->to = move >> 6 & 63;
    m->promotion = (char)(move >> 12 ? LETTERS[move >> 12] | 32 : 0);
    m->error = worth(r, &after, m->reset ? 0 : standing, &result);
    if (m->error == RMTB_MISSING) {
        int own = goal_of(&r->all->known, &after);
        if (level_of(own) < 2) result.outcome = result.record = own, result.distance = 0, m->error = RMTB_OK;
    }
    if (m->error) return m->error;
    int untouched = !m->reset && result.record == standing && result.outcome == standing;
    m->outcome = result.outcome, m->record = result.record;
    m->distance = untouched ? 0 : result.distance + 1;
    return RMTB_OK;
}
/* Whether one move is better than another for a side, names aside: above 0 if it is. */
static int compare(const rmtb_move *a, const rmtb_move *b, int side, int standing) {
    int sign = side ? -1 : 1;
    if (a->outcome != b->outcome) return sign * (a->outcome - b->outcome);
    return sign * a->outcome >= sign * standing ? b->distance - a->distance : a->distance - b->distance;
}
/* The record that stands: the own goal if it is better, or if there is no other. */
static int standing_of(int record, int own) { return record && level_of(record) <= level_of(own) ? record : own; }
/* The same by a ply of search, of a position that no table has. */
static rmtb_error search(rmtb_reader *r, const board *b, int record, rmtb_result *result) {
    step_t moves[RMTB_MAX_MOVES];
    rmtb_move found, best = {0, 0, 0, 0, 0, 0, 0, RMTB_OK};
    int own = goal_of(&r->all->known, b), standing = standing_of(record, own);
    if (r->searched++ > MAX_SEARCHED || r->depth++ > MAX_DEPTH) return RMTB_DAMAGED;
    result->outcome = result->record = own, result->distance = 0;
    if (level_of(own) < 2) return r->depth--, RMTB_OK;
    for (int nth = 0, count = generate(&r->all->known, b, moves); nth < count; nth++) {
        TRY(try_move(r, b, moves[nth], standing, &found));
        if (nth == 0 || compare(&found, &best, b->turn, standing) > 0) best = found;
    }
    r->depth--;
    result->outcome = best.outcome, result->record = standing;
    result->distance = best.outcome == standing ? 0 : best.distance;
    return RMTB_OK;
}
static rmtb_error worth(rmtb_reader *r, board *b, int record, rmtb_result *result) {
    const lore *l = &r->all->known;
    const table *t;
    entry e;
    uint64_t number;
    int first, sign = b->turn ? -1 : 1;
    if (has_right(l, b)) return search(r, b, record, result);
    rmtb_error error = locate(r, b, &t, &first, &number);
    if (error) return error == LEFT_OUT ? search(r, b, record, result) : error;
    error = look(r, t, number, record && r->all->rules == RMTB_R ? level_of(record) : BASE, &e);
    if (error) return error == RMTB_ILLEGAL ? RMTB_DAMAGED : error;
    int own = e.distance ? goal_of(l, b) : sign * e.outcome; /* at no distance it is the own goal */
    int standing = standing_of(record, own), level = level_of(standing);
    result->record = standing;
    result->outcome = sign * e.outcome, result->distance = e.distance;
    if (standing == own || level_of(e.outcome) < level) return RMTB_OK;
    result->outcome = standing, result->distance = 0;
    if (r->all->rules == RMTB_WG) return RMTB_OK;
    int relative = sign * standing, holder = relative > 0;
    const step *last = NULL;
    for (int nth = 0; nth < e.count; nth++)
        if (e.steps[nth].holder == holder && e.steps[nth].level <= level) last = &e.steps[nth];
    if (last && (holder ? last->outcome < relative : last->outcome > relative))
        result->outcome = sign * last->outcome, result->distance = last->distance;
    return RMTB_OK;
}
/* What a caller gives: a position, and a record under which a game can go on. */
static rmtb_error check(rmtb_reader *r, const rmtb_position *position, int record, board *b) {
    TRY(to_board(&r->all->known, position, b));
    if (position->castling) return RMTB_CASTLING;
    if (count_bits(b->by[0] | b->by[1]) > RMTB_MEN) return RMTB_TOO_MANY;
    if (record && !is_outcome(record)) return RMTB_BAD_RECORD;
    if (record && level_of(record) < 2 && record != goal_of(&r->all->known, b)) return RMTB_BAD_RECORD;
    r->searched = r->depth = 0;
    return RMTB_OK;
}
rmtb_error rmtb_probe(rmtb_reader *reader, const rmtb_position *position, int record, rmtb_result *result) {
    board b;
    TRY(check(reader, position, record, &b));
    return worth(reader, &b, record, result);
}
static int before(const rmtb_move *a, const rmtb_move *b, int side, int standing) {
    char names[2][6];
    int better = (a->error == RMTB_OK) - (b->error == RMTB_OK);
    if (!better && !a->error) better = compare(a, b, side, standing);
    if (better) return better > 0;
    rmtb_move_text(a, names[0]);
    rmtb_move_text(b, names[1]);
    return strcmp(names[0], names[1]) < 0;
}
rmtb_error rmtb_moves(rmtb_reader *reader, const rmtb_position *position, int record, rmtb_move moves[RMTB_MAX_MOVES],
                      int *count) {
    board b;
    step_t steps[RMTB_MAX_MOVES];
    rmtb_error error = RMTB_OK;
    *count = 0;
    TRY(check(reader, position, record, &b));
    int standing = standing_of(record, goal_of(&reader->all->known, &b));
    int there = generate(&reader->all->known, &b, steps);
    for (; *count < there; ++*count) {
        rmtb_move made;
        int at = *count;
        reader->depth = 0;
        if (try_move(reader, &b, steps[at], standing, &made) && !error) error = made.error;
        if (made.error) made.outcome = made.distance = made.record = 0;
        for (; at > 0 && before(&made, &moves[at - 1], b.turn, standing); at--) moves[at] = moves[at - 1];
        moves[at] = made;
    }
    return error;
}

/* --- texts ----------------------------------------------------------------------------------------------------- */
static uint64_t *set_of(rmtb_position *p, int kind) {
    uint64_t *const sets[KINDS] = {&p->kings, &p->queens, &p->rooks, &p->bishops, &p->knights, &p->pawns};
    return sets[kind];
}
static int read_men(const char **at, rmtb_position *p) {
    for (int rank = 7; rank >= 0; rank--, ++*at) {
        int file = 0, empty = 0;
        for (; **at && **at != '/' && **at != ' '; ++*at) {
            const char *letter = strchr(LETTERS, **at & ~32);
            if (file > 7) return 0;
            if (**at >= '1' && **at <= '8' && !empty) { file += **at - '0', empty = 1; continue; }
            if (!letter || !*letter) return 0;
            *set_of(p, (int)(letter - LETTERS)) |= bit(8 * rank + file);
            *(**at & 32 ? &p->black : &p->white) |= bit(8 * rank + file++);
            empty = 0;
        }
        if (file != 8 || **at != (rank ? '/' : ' ')) return 0;
    }
    return 1;
}
/* The next field of at most 15 characters; 0 if it is longer, or if there is none. */
static int next_field(const char **at, char field[16]) {
    *at += strspn(*at, " \t\r\n");
    size_t length = strcspn(*at, " \t\r\n");
    if (!length || length > 15) return 0;
    memcpy(field, *at, length);
    field[length] = 0, *at += length;
    return 1;
}
rmtb_error rmtb_parse_fen(const char *fen, rmtb_rules rules, rmtb_position *position, int *record) {
    char field[16];
    long clock = 1;
    memset(position, 0, sizeof *position);
    *record = 0;
    fen += strspn(fen, " \t");
    if (!read_men(&fen, position) || !next_field(&fen, field)) return RMTB_BAD_FEN;
    if (strcmp(field, "w") && strcmp(field, "b")) return RMTB_BAD_FEN;
    position->turn = field[0] == 'w';
    for (int nth = 2; fen += strspn(fen, " \t\r\n"), *fen; nth++) {
        if (nth > 6 || !next_field(&fen, field)) return RMTB_BAD_FEN;
        if (nth == 2 && strcmp(field, "-")) {
            if (strspn(field, "KQkqABCDEFGHabcdefgh") != strlen(field)) return RMTB_BAD_FEN;
            position->castling = 1;
        } else if (nth == 3 && strcmp(field, "-")) {
            if (strlen(field) != 2 || field[0] < 'a' || field[0] > 'h' || field[1] < '1' || field[1] > '8')
                return RMTB_BAD_FEN;
            position->ep = (unsigned)(field[0] - 'a' + 8 * (field[1] - '1'));
            if (!position->ep) return RMTB_ILLEGAL;
        } else if (nth == 4 || nth == 5) {
            if (strspn(field, "0123456789") != strlen(field) || strlen(field) > 6) return RMTB_BAD_FEN;
            if (nth == 4) clock = strtol(field, NULL, 10);
        } else if (nth == 6) {
            TRY(rmtb_parse_record(field, record));
            if (!clock && rules == RMTB_R) *record = 0;
        }
    }
    return RMTB_OK;
}
rmtb_error rmtb_parse_record(const char *text, int *record) {
    size_t minus = !strncmp(text, "\xe2\x88\x92", 3) ? 3 : *text == '-' || *text == 'm' || *text == 'M'; /* U+2212 */
    int whole = 0, digits = 0, sign = minus ? -1 : 1;
    *record = 0;
    text += minus ? minus : *text == '+';
    if (*text != 'G' && *text != 'g') return RMTB_BAD_RECORD;
    for (text++; *text >= '0' && *text <= '9' && digits < 4; text++, digits++) whole = 10 * whole + (*text - '0');
    if (!digits || digits > 3) return RMTB_BAD_RECORD;
    int level = 2 * whole + !strcmp(text, ".5");
    if ((*text && strcmp(text, ".5") && strcmp(text, ".0")) || level > MAX_LEVEL) return RMTB_BAD_RECORD;
    *record = sign * (BASE - level);
    return RMTB_OK;
}
void rmtb_text(int outcome, char text[8]) {
    int level = level_of(outcome);
    if (level < 0 || level > 999) level = 0;
    sprintf(text, "%sG%d.%d", outcome < 0 ? "-" : "", level / 2 % 1000, level & 1 ? 5 : 0);
}
void rmtb_move_text(const rmtb_move *move, char text[6]) {
    text[0] = (char)('a' + (move->from & 7)), text[1] = (char)('1' + (move->from >> 3 & 7));
    text[2] = (char)('a' + (move->to & 7)), text[3] = (char)('1' + (move->to >> 3 & 7));
    text[4] = move->promotion, text[5] = 0;
}
rmtb_error rmtb_goal(const rmtb_tables *tables, const rmtb_position *position, int *goal) {
    board b;
    TRY(to_board(&tables->known, position, &b));
    *goal = goal_of(&tables->known, &b);
    return RMTB_OK;
}
const char *rmtb_strerror(rmtb_error error) {
    static const char *const words[] = {
        "no error", "this is not a FEN", "no game goes on under this record", "the position is illegal",
        "tables know no castling", "tables have six men at most", "a table is missing", "a table is damaged",
        "a file is a table of another format, of other rules or other men", "a file or directory cannot be opened",
        "a file cannot be read", "there is not enough memory"};
    return error < 0 || error > RMTB_MEMORY ? "unknown error" : words[error];
}
