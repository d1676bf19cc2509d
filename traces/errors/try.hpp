#pragma once

/// \file How a function passes an error on: one line in place of a check and a return.

#include <tl/expected.hpp>
#include <utility>

#define KEYSWAP_TRY_CONCAT_(a, b) a##b
#define KEYSWAP_TRY_NAME_(line) KEYSWAP_TRY_CONCAT_(keyswap_try_, line)
#define KEYSWAP_TRY_AS_(result, declaration, ...)                                                  \
    auto result = (__VA_ARGS__);                                                                   \
    if (!(result)) {                                                                               \
        return tl::unexpected(std::move(result).error());                                          \
    }                                                                                              \
    declaration = *std::move(result)

/// Declares the value of an expression that may fail, or returns its error from the function:
/// `KEYSWAP_TRY(auto const keys, read_keys(path));`
#define KEYSWAP_TRY(declaration, ...)                                                              \
    KEYSWAP_TRY_AS_(KEYSWAP_TRY_NAME_(__LINE__), declaration, __VA_ARGS__)

/// Returns the error of an expression that may fail from the function; its value is not used.
#define KEYSWAP_RETURN_IF_ERROR(...)                                                               \
    do {                                                                                           \
        if (auto keyswap_result = (__VA_ARGS__); !keyswap_result) {                                \
            return tl::unexpected(std::move(keyswap_result).error());                              \
        }                                                                                          \
    } while (false)
