#pragma once

#include "traces/errors/input_error.hpp"

#include <string>
#include <utility>

namespace keyswap {

/// Replaces an error's subject; for `map_error`. A library names the invalid field, and the
/// calling command maps that field to the option that set it.
[[nodiscard]] inline auto about(std::string subject) {
    return [subject = std::move(subject)](InputError error) {
        error.subject = subject;
        return error;
    };
}

} // namespace keyswap
