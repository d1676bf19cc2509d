/**
 * \file C interface of Keyswap, also for languages that call C: checks, plans, runs and predicts
 * sorts. C99. Link libkeyswap.so (`find_package(keyswap COMPONENTS c)`, keyswap::c).
 *
 * Errors.    A function that can fail returns an error, or NULL on success. The caller frees it
 *            with keyswap_error_free(). Outputs are set only on success.
 * Verdicts.  A wrong sort is not an error but a result with the verdict KEYSWAP_VIOLATION.
 * Ownership. Arrays belong to the caller; they are accessed only during the call, and no pointer
 *            to them is kept. Strings belong to the handle that returned them. Each handle type
 *            has its own _free function, which accepts NULL. So do the functions that read an error
 *            or a result: NULL is no error (KEYSWAP_NO_ERROR, ""), and a result that says nothing
 *            good (KEYSWAP_VIOLATION, "", "{}"), as a failed call leaves no result.
 * Shapes.    An array has `count` contiguous keys in native (little-endian) byte order. b128 keys
 *            are 16 bytes in the order of memcmp().
 * Options.   An options struct begins with its size, `{sizeof options}`; a zero in any other field
 *            selects its default, and NULL instead of the struct selects all defaults.
 * Threads.   Functions may be called concurrently, except on the same handle. Requests run one
 *            after the other. keyswap_check(), keyswap_plan() and keyswap_sort() use several
 *            internal threads, which have all ended when the call returns. Callbacks run on
 *            the calling thread.
 * Versions.  A program built with an older header of the same KEYSWAP_ABI remains compatible.
 */
#ifndef KEYSWAP_H
#define KEYSWAP_H

#include <stddef.h>
#include <stdint.h>

#define KEYSWAP_ABI 0 /**< the number in the library's name, libkeyswap.so.0 */

#if defined(__GNUC__)
#define KEYSWAP_API __attribute__((visibility("default")))
#else
#define KEYSWAP_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** Version of the loaded library, such as "0.1.0". */
KEYSWAP_API char const* keyswap_version(void);
/** KEYSWAP_ABI of the loaded library. */
KEYSWAP_API int keyswap_abi(void);

/* ---- errors ---------------------------------------------------------------------------------- */

typedef struct keyswap_error keyswap_error;

/** KEYSWAP_COULD_NOT_RUN equals the exit status of the program `keyswap` for the same error. */
typedef enum keyswap_error_kind_t {
    KEYSWAP_NO_ERROR = 0,      /**< the kind of NULL */
    KEYSWAP_COULD_NOT_RUN = 2, /**< wrong arguments, unreadable files, too little memory */
    KEYSWAP_CANCELLED = 3,     /**< by a progress callback */
    KEYSWAP_INTERNAL = 4       /**< a bug in Keyswap; please report it */
} keyswap_error_kind_t;

KEYSWAP_API keyswap_error_kind_t keyswap_error_kind(keyswap_error const* error);
/** The argument, option or file concerned. UTF-8, like all strings. */
KEYSWAP_API char const* keyswap_error_subject(keyswap_error const* error);
/** What is wrong with the subject. */
KEYSWAP_API char const* keyswap_error_problem(keyswap_error const* error);
/** How to fix it; empty if no remedy is known. */
KEYSWAP_API char const* keyswap_error_remedy(keyswap_error const* error);
/** Subject, problem and remedy in one line: "subject: problem (remedy)". */
KEYSWAP_API char const* keyswap_error_message(keyswap_error const* error);
KEYSWAP_API void keyswap_error_free(keyswap_error* error);

/* ---- keys ------------------------------------------------------------------------------------ */

/** Unsigned and signed integers, floats (f16 and f64 as in IEEE 754, bf16 the upper half of an
 * f32), and 16 bytes in the order of memcmp(). Enumerator values are stable across versions. */
typedef enum keyswap_type {
    KEYSWAP_U8 = 1,
    KEYSWAP_U16 = 2,
    KEYSWAP_U32 = 3,
    KEYSWAP_U64 = 4,
    KEYSWAP_U128 = 5,
    KEYSWAP_I8 = 6,
    KEYSWAP_I16 = 7,
    KEYSWAP_I32 = 8,
    KEYSWAP_I64 = 9,
    KEYSWAP_I128 = 10,
    KEYSWAP_F16 = 11,
    KEYSWAP_BF16 = 12,
    KEYSWAP_F32 = 13,
    KEYSWAP_F64 = 14,
    KEYSWAP_B128 = 15
} keyswap_type;

/** "u8" to "b128"; NULL for an invalid type. The string is static. */
KEYSWAP_API char const* keyswap_type_name(keyswap_type type);
/** Size of a key in bytes; 0 for an invalid type. */
KEYSWAP_API size_t keyswap_type_size(keyswap_type type);
/** The type with this name; also accepts names of other programs ("float32", "double"). */
KEYSWAP_API keyswap_error* keyswap_type_of(char const* name, keyswap_type* type);

/** An array of keys owned by the caller. */
typedef struct keyswap_array {
    void const* data; /**< [count] keys of any alignment; may be NULL if count is 0 */
    size_t count;
    keyswap_type type;
} keyswap_array;

typedef enum keyswap_direction { KEYSWAP_ASCENDING = 0, KEYSWAP_DESCENDING = 1 } keyswap_direction;
/** -0.0 before +0.0, or as equal. */
typedef enum keyswap_zero_order {
    KEYSWAP_ZEROS_TOTAL = 0,
    KEYSWAP_ZEROS_EQUAL = 1
} keyswap_zero_order;
/** NaNs at both ends, by sign and bits as in IEEE 754 total order; or all first or all last in
 * any order, as in NumPy and pandas. */
typedef enum keyswap_nan_order {
    KEYSWAP_NANS_TOTAL = 0,
    KEYSWAP_NANS_FIRST = 1,
    KEYSWAP_NANS_LAST = 2
} keyswap_nan_order;

/** Called about 20 times per second during long work. \param total 0 if unknown \return 0 to
 * continue; any other value cancels the work with KEYSWAP_CANCELLED. GPU work cannot be
 * cancelled: keyswap_summarize() has no callback. */
typedef int (*keyswap_progress)(void* data, uint64_t done, uint64_t total);

/* ---- results --------------------------------------------------------------------------------- */

typedef struct keyswap_result keyswap_result;

/** Same values as the exit status of the program. */
typedef enum keyswap_verdict_t { KEYSWAP_FINE = 0, KEYSWAP_VIOLATION = 1 } keyswap_verdict_t;

KEYSWAP_API keyswap_verdict_t keyswap_result_verdict(keyswap_result const* result);
/** Findings (for requests: remarks) as sentences, one per line; may be empty. */
KEYSWAP_API char const* keyswap_result_text(keyswap_result const* result);
/** All findings as a JSON object, as printed by the command with --json. */
KEYSWAP_API char const* keyswap_result_json(keyswap_result const* result);
KEYSWAP_API void keyswap_result_free(keyswap_result* result);

/* ---- arrays ---------------------------------------------------------------------------------- */

typedef struct keyswap_check_options {
    size_t struct_size;
    keyswap_direction direction;
    keyswap_zero_order zero_order;
    keyswap_nan_order nan_order;
    uint32_t gpu_count; /**< GPUs of the sort, to explain faults at chunk borders; 0: unknown */
    uint32_t threads;   /**< 0: all hardware threads */
    keyswap_array const* values; /**< values after the sort: the input index of each
                                  key; integers of 32 or 64 bits; NULL: none */
    int stable;                  /**< not 0: equal keys must keep their order; needs values */
    uint64_t hash_seed;          /**< of the hash that compares both sides; 0: random */
    keyswap_progress progress;   /**< may be NULL */
    void* progress_data;         /**< passed to progress */
} keyswap_check_options;

/** Checks that output is a sorted permutation of input; if not, the result explains the faults
 * and their likely cause. Keys of 8 and 16 bits and of b128 are copied first, others not. */
KEYSWAP_API keyswap_error* keyswap_check(keyswap_array input,
                                         keyswap_array output,
                                         keyswap_check_options const* options,
                                         keyswap_result** result);
/** Checks only the order of keys. `values`, `stable` and `hash_seed` must be 0. */
KEYSWAP_API keyswap_error* keyswap_check_order(keyswap_array keys,
                                               keyswap_check_options const* options,
                                               keyswap_result** result);

typedef struct keyswap_sort_options {
    size_t struct_size;
    keyswap_direction direction;
    char const* algorithm; /**< "buffered-radix" (NULL) or "simd-merge" */
    uint32_t threads;      /**< 0: all hardware threads; at most 1,024 */
    void* values;          /**< [count] integers that move with the keys; no overlap; or NULL */
    uint32_t value_bits;   /**< 32 or 64; 0 if there are none */
    keyswap_nan_order nan_order;
    keyswap_progress progress; /**< may be NULL; called between passes over the keys, with a total
                                * of 0. Cancelling the sort destroys keys and values */
    void* progress_data;       /**< passed to progress */
} keyswap_sort_options;

/** Sorts keys in place on the CPU, stably if there are values; -0.0 precedes +0.0. Needs as much
 * additional memory as the arrays. Keys have 32, 64 or 128 bits; keys and values are naturally
 * aligned. */
KEYSWAP_API keyswap_error*
keyswap_sort(void* keys, size_t count, keyswap_type type, keyswap_sort_options const* options);

/** Generates the keys of `keyswap sort --distribution NAME --seed N`, bit-identical on every
 * machine. \param keys [count] naturally aligned keys of 32, 64 or 128 bits
 * \param distribution a name from `keyswap distributions`; NULL: "uniform"
 * \param parameter parameter of the distribution; NULL: its default */
KEYSWAP_API keyswap_error* keyswap_generate(void* keys,
                                            size_t count,
                                            keyswap_type type,
                                            char const* distribution,
                                            uint64_t seed,
                                            double const* parameter);

typedef struct keyswap_plan_options {
    size_t struct_size;
    keyswap_direction direction;
    keyswap_zero_order zero_order;
    uint32_t gpu_count;    /**< 1 to 1,024; 0: 8 */
    char const* algorithm; /**< a name from `keyswap algorithms`; NULL: "rmg" */
    int list_buckets;      /**< not 0: list every bucket in the result */
    keyswap_progress progress;
    void* progress_data;
} keyswap_plan_options;

/** Plans a multi-GPU sort: destinations of the keys and passes. Keys have 32, 64 or 128 bits. */
KEYSWAP_API keyswap_error*
keyswap_plan(keyswap_array keys, keyswap_plan_options const* options, keyswap_result** result);

/* ---- arrays in parts, on GPUs or in host memory ----------------------------------------------- */

#define KEYSWAP_HOST (-1)       /**< device number that means host memory */
#define KEYSWAP_ANY_DEVICE (-2) /**< the GPU that owns the address */

/** A part of a sequence of keys, in memory of one CUDA device or of the host. */
typedef struct keyswap_part {
    int device;         /**< device number, KEYSWAP_HOST or KEYSWAP_ANY_DEVICE */
    void const* keys;   /**< [count], naturally aligned */
    void const* values; /**< [count], naturally aligned; NULL if there are none */
    size_t count;
} keyswap_part;

typedef struct keyswap_summary_options {
    size_t struct_size;
    keyswap_direction direction;
    keyswap_zero_order zero_order;
    keyswap_nan_order nan_order;
    uint32_t value_bits; /**< 32 or 64; 0 if there are none */
    uint64_t seed;       /**< of the hash; must match between compared summaries; 0: 1 */
} keyswap_summary_options;

/** Summary of a sequence: plain data of 88 bytes, so that processes can exchange summaries. */
typedef struct keyswap_summary {
    uint64_t count;           /**< keys */
    uint64_t digest[2];       /**< multiset digest of keys with their values */
    uint64_t violations;      /**< adjacent pairs that are out of order */
    uint64_t first_violation; /**< index of the first key of the first pair; UINT64_MAX if none */
    uint64_t first[2];        /**< image of the first key, low and high half */
    uint64_t last[2];
    uint64_t seed;       /**< of the hash; this and what follows is 0 if count is 0 */
    keyswap_type type;   /**< of the keys */
    uint32_t value_bits; /**< 0 if there are no values */
} keyswap_summary;

/** Summarizes the order and contents of a sequence in one pass, without copying: each part is
 * read by its own device, after all queued work. Keys have 32, 64 or 128 bits. Call it before
 * and after a sort, and compare. \param parts [part_count] in sequence order */
KEYSWAP_API keyswap_error* keyswap_summarize(keyswap_part const* parts,
                                             size_t part_count,
                                             keyswap_type type,
                                             keyswap_summary_options const* options,
                                             keyswap_summary* summary);
/** Concatenates summaries with equal options: the keys of `left`, then those of `right`. NULL is
 * an empty sequence. If seed, type or value_bits differ, keyswap_compare() refuses the result. */
KEYSWAP_API keyswap_summary keyswap_summary_joined(keyswap_summary const* left,
                                                   keyswap_summary const* right);
/** Checks that `after` summarizes a sorted permutation of the keys of `before`. Does not check
 * the order of equal keys. Both need the same seed, type and value_bits.
 * \param before NULL: check only the order */
KEYSWAP_API keyswap_error* keyswap_compare(keyswap_summary const* before,
                                           keyswap_summary const* after,
                                           keyswap_result** result);

/* ---- rows ------------------------------------------------------------------------------------ */

struct ArrowArrayStream; /**< Arrow C stream interface, which every Arrow library exports */

typedef struct keyswap_rows_options {
    size_t struct_size;
    keyswap_zero_order zero_order;
    keyswap_nan_order nan_order;
    uint32_t threads;          /**< 0: all hardware threads */
    int stable;                /**< not 0: rows with equal keys must keep their order */
    uint64_t hash_seed;        /**< 0: random */
    keyswap_progress progress; /**< may be NULL; counts rows */
    void* progress_data;       /**< passed to progress */
} keyswap_rows_options;

/** Checks that the rows of `after` are those of `before`, sorted by some columns.
 * Takes ownership of all streams, which are released even on error.
 * \param before NULL: check only the order
 * \param after [after_count] tables whose concatenation is the output
 * \param by key columns: "region,amount:desc:nulls-first"; nulls are last by default */
KEYSWAP_API keyswap_error* keyswap_check_rows(struct ArrowArrayStream* before,
                                              struct ArrowArrayStream* const* after,
                                              size_t after_count,
                                              char const* by,
                                              keyswap_rows_options const* options,
                                              keyswap_result** result);

/* ---- inputs that broke real sorts ------------------------------------------------------------ */

/** Lists the cases for a type of 32 or 64 bits: {"cases": [{"name", "source", "keys"}, ...]};
 * `keys` is their number, `source` the bug report. */
KEYSWAP_API keyswap_error* keyswap_zoo(keyswap_type type, keyswap_result** result);
/** Copies the keys of a case. \param count must equal the `keys` that keyswap_zoo() lists */
KEYSWAP_API keyswap_error*
keyswap_zoo_keys(keyswap_type type, char const* name, void* keys, size_t count);

/* ---- requests: what the program `keyswap` does with files ------------------------------------ */

/** A command and its options, which have the names and defaults of the command line, without
 * dashes. */
typedef struct keyswap_request keyswap_request;

/** \param command "simulate", "whatif", "verify", "report", "topology list", "topology show",
 * "check", "plan", "validate", "algorithms" or "distributions" */
KEYSWAP_API keyswap_error* keyswap_request_new(char const* command, keyswap_request** request);
/** Adds an option: ("platform", "dgx-a100"), or ("all", NULL) for a flag. Repeatable options may
 * be added several times. Invalid ones are reported by keyswap_request_run(). */
KEYSWAP_API keyswap_error*
keyswap_request_option(keyswap_request* request, char const* name, char const* value);
/** Adds a file, as a positional argument of the command line. */
KEYSWAP_API keyswap_error* keyswap_request_file(keyswap_request* request, char const* path);
/** Runs the command in this process, silently; writes files only if an option asks for it.
 * Repeatable. \param progress may be NULL; can cancel simulations only; `total` is 0 */
KEYSWAP_API keyswap_error* keyswap_request_run(keyswap_request const* request,
                                               keyswap_progress progress,
                                               void* progress_data,
                                               keyswap_result** result);
KEYSWAP_API void keyswap_request_free(keyswap_request* request);

#ifdef __cplusplus
}
#endif

#endif
