#pragma once

/// \file Returning and propagating errors: one call or macro instead of a check and an early
/// return.

#include "traces/errors/input_error.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace keyswap {

/// An error as the result of a function that returns Expected:
/// `return input_error(path, "is empty", "write it again");`
[[nodiscard]] inline tl::unexpected<InputError>
input_error(std::string_view subject, std::string problem, std::string remedy) {
    return tl::unexpected(InputError{std::string(subject), std::move(problem), std::move(remedy)});
}

} // namespace keyswap

#define KEYSWAP_TRY_CONCAT_(a, b) a##b
#define KEYSWAP_TRY_NAME_(line) KEYSWAP_TRY_CONCAT_(keyswap_try_, line)
#define KEYSWAP_TRY_AS_(result, declaration, ...)                                                  \
    auto result = (__VA_ARGS__);                                                                   \
    if (!(result)) {                                                                               \
        return tl::unexpected(std::move(result).error());                                          \
    }                                                                                              \
    declaration = *std::move(result)

/// Evaluates an expression that may fail and declares a variable with its value, or returns its
/// error from the enclosing function: `KEYSWAP_TRY(auto const keys, read_keys(path));`
#define KEYSWAP_TRY(declaration, ...)                                                              \
    KEYSWAP_TRY_AS_(KEYSWAP_TRY_NAME_(__LINE__), declaration, __VA_ARGS__)

/// Returns the expression's error from the enclosing function, if any; discards its value.
#define KEYSWAP_RETURN_IF_ERROR(...)                                                               \
    do {                                                                                           \
        if (auto keyswap_result = (__VA_ARGS__); !keyswap_result) {                                \
            return tl::unexpected(std::move(keyswap_result).error());                              \
        }                                                                                          \
    } while (false)
