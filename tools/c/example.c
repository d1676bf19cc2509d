/* Checks a sort that loses a key, and predicts the time of a correct one on eight GPUs.
 *
 *     cc -std=c99 example.c -lkeyswap && ./a.out
 */
#include <keyswap.h>

#include <stdio.h>
#include <stdlib.h>

/* Prints an error and exits with its kind, like the command line. */
static void must(keyswap_error* error) {
    if (error != NULL) {
        int const kind = (int)keyswap_error_kind(error);
        fprintf(stderr, "error: %s\n", keyswap_error_message(error));
        keyswap_error_free(error);
        exit(kind);
    }
}

int main(void) {
    enum { count = 1000 };
    static uint32_t before[count];
    static uint32_t after[count];
    keyswap_array input = {before, count, KEYSWAP_U32};
    keyswap_array output = {after, count, KEYSWAP_U32};
    keyswap_result* result = NULL;
    keyswap_request* request = NULL;
    size_t i = 0;

    must(keyswap_generate(before, count, KEYSWAP_U32, "zipf", 1, NULL));
    for (i = 0; i < count; ++i) {
        after[i] = before[i];
    }
    must(keyswap_sort(after, count, KEYSWAP_U32, NULL));
    must(keyswap_check(input, output, NULL, &result));
    printf("keyswap_sort: %s", keyswap_result_text(result));
    keyswap_result_free(result);

    after[500] = after[499]; /* the planted mistake */
    must(keyswap_check(input, output, NULL, &result));
    printf("with a mistake: %s", keyswap_result_text(result));
    if (keyswap_result_verdict(result) != KEYSWAP_VIOLATION) {
        return 1;
    }
    keyswap_result_free(result);

    must(keyswap_request_new("simulate", &request));
    must(keyswap_request_option(request, "platform", "dgx-a100"));
    must(keyswap_request_option(request, "keys", "2e9"));
    must(keyswap_request_run(request, NULL, NULL, &result));
    printf("simulated: %.60s...\n", keyswap_result_json(result));
    keyswap_result_free(result);
    keyswap_request_free(request);
    return 0;
}
