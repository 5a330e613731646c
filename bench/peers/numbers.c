/*
 * Decoding and statistics as loops in C, as a peer in the benchmarks.
 *
 *     numbers decode FILE DTYPE ITERS    FILE's bytes in memory to float
 *     numbers stats FILE DTYPE ITERS     range, mean, deviation, NaN, infinities and zeros of them
 *
 * Each prints one line of JSON, in which "ns" is the mean time of one iteration. The compiler
 * may optimise the loops freely; those that it cannot vectorise use a table, as hand-written
 * code would.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static float of_bits(uint32_t bits) {
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

/* A float of a sign, so many bits of exponent and of mantissa. Without infinities, NaN is all ones. */
static float small_float(uint32_t bits, int exponent, int mantissa, int infinities) {
    uint32_t e = bits >> mantissa & ((1u << exponent) - 1), m = bits & ((1u << mantissa) - 1);
    int bias = (1 << (exponent - 1)) - 1;
    double sign = bits >> (exponent + mantissa) & 1 ? -1 : 1;
    if (infinities && e == (1u << exponent) - 1)
        return m ? NAN : (float)(sign * INFINITY);
    if (infinities == 0 && mantissa > 1 && e == (1u << exponent) - 1 && m == (1u << mantissa) - 1)
        return NAN;
    if (e == 0)
        return (float)(sign * ldexp(m, 1 - bias - mantissa));
    return (float)(sign * ldexp((1u << mantissa) + m, (int)e - bias - mantissa));
}

static float half[65536], eighth[256], quarter[256][2];

static void make_tables(void) {
    for (uint32_t i = 0; i < 65536; i++)
        half[i] = small_float(i, 5, 10, 1);
    for (uint32_t i = 0; i < 256; i++) {
        eighth[i] = small_float(i, 4, 3, 0);
        quarter[i][0] = small_float(i & 15, 2, 1, 0);
        quarter[i][1] = small_float(i >> 4, 2, 1, 0);
    }
}

enum dtype { BF16, F16, F8_E4M3, F4, F32, NONE };

static const char *const names[] = {"BF16", "F16", "F8_E4M3", "F4", "F32"};

static enum dtype dtype_of(const char *name) {
    int d = 0;
    while (d < NONE && strcmp(name, names[d]))
        d++;
    return d;
}

/* The elements of size bytes. */
static size_t count(enum dtype d, size_t size) {
    return d == F4 ? 2 * size : d == F8_E4M3 ? size : d == F32 ? size / 4 : size / 2;
}

static void decode(enum dtype d, const unsigned char *restrict src, float *restrict dst, size_t n) {
    const uint16_t *wide = (const uint16_t *)src;
    switch (d) {
    case BF16:
        for (size_t i = 0; i < n; i++)
            dst[i] = of_bits((uint32_t)wide[i] << 16);
        break;
    case F16:
        for (size_t i = 0; i < n; i++)
            dst[i] = half[wide[i]];
        break;
    case F8_E4M3:
        for (size_t i = 0; i < n; i++)
            dst[i] = eighth[src[i]];
        break;
    case F4:
        for (size_t i = 0; i < n / 2; i++)
            memcpy(dst + 2 * i, quarter[src[i]], 8);
        break;
    default:
        memcpy(dst, src, 4 * n);
    }
}

struct summary {
    float min, max;
    double sum, squares;
    size_t nan, inf, zeros;
};

static void add(struct summary *s, float x) {
    if (isnan(x)) {
        s->nan++;
    } else if (isinf(x)) {
        s->inf++;
    } else {
        s->min = x < s->min ? x : s->min;
        s->max = x > s->max ? x : s->max;
        s->sum += x;
        s->squares += (double)x * x;
        s->zeros += x == 0;
    }
}

static struct summary stats(enum dtype d, const unsigned char *src, size_t n) {
    struct summary s = {INFINITY, -INFINITY, 0, 0, 0, 0, 0};
    const uint16_t *wide = (const uint16_t *)src;
    const float *whole = (const float *)src;
    switch (d) {
    case BF16:
        for (size_t i = 0; i < n; i++)
            add(&s, of_bits((uint32_t)wide[i] << 16));
        break;
    case F16:
        for (size_t i = 0; i < n; i++)
            add(&s, half[wide[i]]);
        break;
    case F8_E4M3:
        for (size_t i = 0; i < n; i++)
            add(&s, eighth[src[i]]);
        break;
    case F4:
        for (size_t i = 0; i < n; i++)
            add(&s, quarter[src[i / 2]][i % 2]);
        break;
    default:
        for (size_t i = 0; i < n; i++)
            add(&s, whole[i]);
    }
    return s;
}

/* The file's bytes, aligned for any element. */
static unsigned char *load(const char *name, size_t *size) {
    FILE *f = fopen(name, "rb");
    if (!f || fseek(f, 0, SEEK_END))
        return NULL;
    *size = (size_t)ftell(f);
    rewind(f);
    unsigned char *b = malloc(*size);
    if (b && fread(b, 1, *size, f) != *size)
        b = NULL;
    fclose(f);
    return b;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(int argc, char **argv) {
    size_t size = 0;
    unsigned char *src = argc == 5 ? load(argv[2], &size) : NULL;
    enum dtype d = argc == 5 ? dtype_of(argv[3]) : NONE;
    int decodes = argc == 5 && !strcmp(argv[1], "decode");
    if (!src || d == NONE || (!decodes && strcmp(argv[1], "stats"))) {
        fprintf(stderr, "usage: numbers decode|stats FILE DTYPE ITERS\n");
        return 1;
    }
    make_tables();
    int iters = atoi(argv[4]);
    size_t n = count(d, size);
    float *dst = decodes ? malloc(n * sizeof *dst) : NULL;
    double total = 0;
    volatile double sink = 0; /* or the compiler would see that nobody needs it */
    for (int i = -1; i < iters; i++) { /* the first is to warm up */
        double start = now();
        if (decodes) {
            decode(d, src, dst, n);
            sink = dst[n / 2];
        } else {
            struct summary s = stats(d, src, n);
            sink = s.min + s.max + s.sum + s.squares + (double)(s.nan + s.inf + s.zeros);
        }
        if (i >= 0)
            total += now() - start;
    }
    (void)sink;
    printf("{\"ns\":%f,\"bytes\":%zu}\n", total / iters, decodes ? size + n * sizeof *dst : size);
    return 0;
}
