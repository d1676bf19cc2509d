/**
 * \file Keyswap for programs in C, and in every language that calls C: checks sorts, plans, sorts
 * and predicts them. C99. Link libkeyswap.so (`find_package(keyswap COMPONENTS c)`, keyswap::c).
 *
 * Errors.    A function that may fail returns an error, NULL if all is well. The caller frees it
 *            with keyswap_error_free(). Outputs are set only if there is no error.
 * Verdicts.  A wrong sort is no error but a result whose verdict is KEYSWAP_VIOLATION.
 * Ownership. Arrays are the caller's; they are read or written during the call alone, and no
 *            pointer to them is kept. Texts belong to the handle that they were asked of. A handle
 *            is freed by the function of its name, which takes NULL too.
 * Shapes.    An array has `count` keys, one after the other, in the machine's (little-endian) byte
 *            order. Keys of b128 are 16 bytes that are compared as memcmp() does.
 * Options.   A structure of options begins with its size, `{sizeof options}`; zero in every other
 *            field means the default, and NULL in place of the structure all defaults.
 * Threads.   Functions may be called on several threads at once, unless they are given the same
 *            handle. Requests run one after the other. keyswap_check(), keyswap_plan() and
 *            keyswap_sort() use several threads themselves, all of which have ended when they
 *            return. Callbacks run on the thread that made the call.
 * Versions.  A program that was built with an older header of the same KEYSWAP_ABI works on.
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

/** Version of the library that was loaded, such as "0.1.0". */
KEYSWAP_API char const* keyswap_version(void);
/** KEYSWAP_ABI of the library that was loaded. */
KEYSWAP_API int keyswap_abi(void);

/* ---- errors ---------------------------------------------------------------------------------- */

typedef struct keyswap_error keyswap_error;

/** The first is also the exit status of the program `keyswap` for the same error. */
typedef enum keyswap_error_kind_t {
    KEYSWAP_COULD_NOT_RUN = 2, /**< wrong arguments, unreadable files, too little memory */
    KEYSWAP_CANCELLED = 3,     /**< a progress callback asked for it */
    KEYSWAP_INTERNAL = 4       /**< a mistake in Keyswap; please report it */
} keyswap_error_kind_t;

KEYSWAP_API keyswap_error_kind_t keyswap_error_kind(keyswap_error const* error);
/** The argument, option or file that it is about. UTF-8, as all texts. */
KEYSWAP_API char const* keyswap_error_subject(keyswap_error const* error);
/** What is wrong with it. */
KEYSWAP_API char const* keyswap_error_problem(keyswap_error const* error);
/** What to try; empty if nothing is known to help. */
KEYSWAP_API char const* keyswap_error_remedy(keyswap_error const* error);
/** All three in one line: "subject: problem (remedy)". */
KEYSWAP_API char const* keyswap_error_message(keyswap_error const* error);
KEYSWAP_API void keyswap_error_free(keyswap_error* error);

/* ---- keys ------------------------------------------------------------------------------------ */

/** Unsigned and signed integers, floats (f16 and f64 are IEEE 754's, bf16 the upper half of an
 * f32), and 16 bytes that are compared as memcmp() does. Numbers never change. */
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

/** "u8" to "b128"; NULL if there is no such type. The text lives as long as the program. */
KEYSWAP_API char const* keyswap_type_name(keyswap_type type);
/** Bytes of a key; 0 if there is no such type. */
KEYSWAP_API size_t keyswap_type_size(keyswap_type type);
/** The type of a name; names of other programs ("float32", "double") are known too. */
KEYSWAP_API keyswap_error* keyswap_type_of(char const* name, keyswap_type* type);

/** Keys that the caller owns. */
typedef struct keyswap_array {
    void const* data; /**< [count] keys, at any address; may be NULL if count is 0 */
    size_t count;
    keyswap_type type;
} keyswap_array;

typedef enum keyswap_direction { KEYSWAP_ASCENDING = 0, KEYSWAP_DESCENDING = 1 } keyswap_direction;
/** -0.0 before +0.0, or either order. */
typedef enum keyswap_zero_order {
    KEYSWAP_ZEROS_TOTAL = 0,
    KEYSWAP_ZEROS_EQUAL = 1
} keyswap_zero_order;
/** NaNs at both ends, by sign and bits as IEEE 754 orders them; or all first or last, as NumPy and
 * pandas have them, in any order. */
typedef enum keyswap_nan_order {
    KEYSWAP_NANS_TOTAL = 0,
    KEYSWAP_NANS_FIRST = 1,
    KEYSWAP_NANS_LAST = 2
} keyswap_nan_order;

/** Called some 20 times a second during long work. \param total 0 while it is not known
 * \return 0 to go on; anything else ends the work with an error, KEYSWAP_CANCELLED.
 * What a GPU has begun it finishes: keyswap_summarize() has no callback. */
typedef int (*keyswap_progress)(void* data, uint64_t done, uint64_t total);

/* ---- results --------------------------------------------------------------------------------- */

typedef struct keyswap_result keyswap_result;

/** As the exit status of the program. */
typedef enum keyswap_verdict_t { KEYSWAP_FINE = 0, KEYSWAP_VIOLATION = 1 } keyswap_verdict_t;

KEYSWAP_API keyswap_verdict_t keyswap_result_verdict(keyswap_result const* result);
/** What was found in sentences, one a line; for requests the remarks; may be empty. */
KEYSWAP_API char const* keyswap_result_text(keyswap_result const* result);
/** All that was found, as a JSON object: what the command prints with --json. */
KEYSWAP_API char const* keyswap_result_json(keyswap_result const* result);
KEYSWAP_API void keyswap_result_free(keyswap_result* result);

/* ---- arrays ---------------------------------------------------------------------------------- */

typedef struct keyswap_check_options {
    size_t struct_size;
    keyswap_direction direction;
    keyswap_zero_order zero_order;
    keyswap_nan_order nan_order;
    uint32_t gpu_count; /**< GPUs of the sort, to name faults at chunk borders; 0: unknown */
    uint32_t threads;   /**< 0: one a core */
    keyswap_array const* values; /**< values after the sort, which are the keys' indices in the
                                  input; integers of 32 or 64 bits; NULL: none */
    int stable;                  /**< not 0: equal keys must keep their order, which values show */
    uint64_t hash_seed;          /**< of the hash that compares both sides; 0: drawn at random */
    keyswap_progress progress;   /**< may be NULL */
    void* progress_data;         /**< given to it */
} keyswap_check_options;

/** Is the output a sorted permutation of the input? If not, what is wrong, and why probably?
 * Keys of 32 and 64 bits are read where they lie; those of other widths are copied first. */
KEYSWAP_API keyswap_error* keyswap_check(keyswap_array input,
                                         keyswap_array output,
                                         keyswap_check_options const* options,
                                         keyswap_result** result);
/** Are keys in order, whatever they were before? `values`, `stable` and `hash_seed` must be 0. */
KEYSWAP_API keyswap_error* keyswap_check_order(keyswap_array keys,
                                               keyswap_check_options const* options,
                                               keyswap_result** result);

typedef struct keyswap_sort_options {
    size_t struct_size;
    keyswap_direction direction;
    char const* algorithm; /**< "buffered-radix" (NULL) or "simd-merge" */
    uint32_t threads;      /**< 0: one a core; at most 1,024 */
    void* values;          /**< [count] integers that travel with the keys; NULL: none */
    uint32_t value_bits;   /**< 32 or 64; 0 without values */
    keyswap_nan_order nan_order;
    keyswap_progress progress; /**< may be NULL; called between passes over the keys, with a total
                                * of 0. Once it has ended the sort, keys and values are lost */
    void* progress_data;       /**< given to it */
} keyswap_sort_options;

/** Sorts keys in place on this machine's processor, stably where they have values; -0.0 comes
 * before +0.0. Takes as much memory again. Keys have 32, 64 or 128 bits and lie at
 * multiples of their size, as values do. */
KEYSWAP_API keyswap_error*
keyswap_sort(void* keys, size_t count, keyswap_type type, keyswap_sort_options const* options);

/** Fills an array with the same keys as `keyswap sort --distribution NAME --seed N`, bit for bit on
 * every machine. \param keys [count] of 32, 64 or 128 bits, at a multiple of their size
 * \param distribution one of `keyswap distributions`; NULL: "uniform"
 * \param parameter of the distribution; NULL: its default */
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
    char const* algorithm; /**< one of `keyswap algorithms`; NULL: "rmg" */
    int list_buckets;      /**< not 0: the result lists every bucket */
    keyswap_progress progress;
    void* progress_data;
} keyswap_plan_options;

/** Where would a multi-GPU sort send these keys, in how many passes? Keys of 32, 64 or 128 bits. */
KEYSWAP_API keyswap_error*
keyswap_plan(keyswap_array keys, keyswap_plan_options const* options, keyswap_result** result);

/* ---- arrays in parts, on GPUs or in host memory ----------------------------------------------- */

#define KEYSWAP_HOST (-1)       /**< in place of a device's number: host memory */
#define KEYSWAP_ANY_DEVICE (-2) /**< on the GPU that the address belongs to */

/** A part of a sequence of keys, in the memory of one CUDA device or of the host. */
typedef struct keyswap_part {
    int device;         /**< its number, KEYSWAP_HOST or KEYSWAP_ANY_DEVICE */
    void const* keys;   /**< [count], at a multiple of a key's size */
    void const* values; /**< [count], at a multiple of a value's size; NULL without values */
    size_t count;
} keyswap_part;

typedef struct keyswap_summary_options {
    size_t struct_size;
    keyswap_direction direction;
    keyswap_zero_order zero_order;
    keyswap_nan_order nan_order;
    uint32_t value_bits; /**< 32 or 64; 0 without values */
    uint64_t seed;       /**< of the hash: summaries that are compared need the same; 0: 1 */
} keyswap_summary_options;

/** What one reading finds. Plain data of 72 bytes: processes that hold a part each may send it. */
typedef struct keyswap_summary {
    uint64_t count;           /**< keys */
    uint64_t digest[2];       /**< of the keys with their values, in any order */
    uint64_t violations;      /**< pairs of neighbours that are out of order */
    uint64_t first_violation; /**< index of the first of the first pair; UINT64_MAX without one */
    uint64_t first[2];        /**< the first key as it is compared, low and high half */
    uint64_t last[2];
} keyswap_summary;

/** Reads a sequence once, each part where it lies, without a copy: its order and what it holds.
 * Waits for the work that is queued on the devices. Keys have 32, 64 or 128 bits. Call it before a
 * sort and after it, and compare both. \param parts [part_count] in their order */
KEYSWAP_API keyswap_error* keyswap_summarize(keyswap_part const* parts,
                                             size_t part_count,
                                             keyswap_type type,
                                             keyswap_summary_options const* options,
                                             keyswap_summary* summary);
/** Of the keys of `left` followed by those of `right`, which were made with the same options. */
KEYSWAP_API keyswap_summary keyswap_summary_joined(keyswap_summary const* left,
                                                   keyswap_summary const* right);
/** Is `after` of a sorted permutation of the keys that `before` is of? The order of equal keys is
 * not looked at. \param before NULL: the order alone is checked */
KEYSWAP_API keyswap_error* keyswap_compare(keyswap_summary const* before,
                                           keyswap_summary const* after,
                                           keyswap_result** result);

/* ---- rows ------------------------------------------------------------------------------------ */

struct ArrowArrayStream; /**< of the Arrow C stream interface, which every table of Arrow gives */

typedef struct keyswap_rows_options {
    size_t struct_size;
    keyswap_zero_order zero_order;
    keyswap_nan_order nan_order;
    uint32_t threads;          /**< 0: one a core */
    int stable;                /**< not 0: rows of equal keys must keep their order */
    uint64_t hash_seed;        /**< 0: drawn at random */
    keyswap_progress progress; /**< may be NULL; rows are counted */
    void* progress_data;       /**< given to it */
} keyswap_rows_options;

/** Are the rows of `after` those of `before`, sorted by some columns?
 * All streams are taken over and released, also where an error is returned.
 * \param before NULL: the order alone is checked
 * \param after [after_count] tables that are one output, in their order
 * \param by key columns: "region,amount:desc:nulls-first"; nulls are last by default */
KEYSWAP_API keyswap_error* keyswap_check_rows(struct ArrowArrayStream* before,
                                              struct ArrowArrayStream* const* after,
                                              size_t after_count,
                                              char const* by,
                                              keyswap_rows_options const* options,
                                              keyswap_result** result);

/* ---- inputs that broke real sorts ------------------------------------------------------------ */

/** Lists them for a type of 32 or 64 bits: {"cases": [{"name", "source", "keys"}, ...]}, where
 * `keys` is their number and `source` the report of the fault. */
KEYSWAP_API keyswap_error* keyswap_zoo(keyswap_type type, keyswap_result** result);
/** Copies the keys of a case. \param count the number that keyswap_zoo() lists */
KEYSWAP_API keyswap_error*
keyswap_zoo_keys(keyswap_type type, char const* name, void* keys, size_t count);

/* ---- requests: what the program `keyswap` does with files ------------------------------------ */

/** A command with its options, which are those of the command line without their dashes, and have
 * the same defaults. */
typedef struct keyswap_request keyswap_request;

/** \param command "simulate", "whatif", "verify", "report", "topology list", "topology show",
 * "check", "plan", "validate", "algorithms" or "distributions" */
KEYSWAP_API keyswap_error* keyswap_request_new(char const* command, keyswap_request** request);
/** Adds an option: ("platform", "dgx-a100"), or ("all", NULL) for one without a value. Options that
 * may be repeated are added again. Wrong ones are refused by keyswap_request_run(). */
KEYSWAP_API keyswap_error*
keyswap_request_option(keyswap_request* request, char const* name, char const* value);
/** Adds a file, as the command line has it without an option. */
KEYSWAP_API keyswap_error* keyswap_request_file(keyswap_request* request, char const* path);
/** Runs the command in this process; nothing is printed, and files are written only where an option
 * says so. May be called again. \param progress may be NULL; ends simulations, with totals of 0 */
KEYSWAP_API keyswap_error* keyswap_request_run(keyswap_request const* request,
                                               keyswap_progress progress,
                                               void* progress_data,
                                               keyswap_result** result);
KEYSWAP_API void keyswap_request_free(keyswap_request* request);

#ifdef __cplusplus
}
#endif

#endif
