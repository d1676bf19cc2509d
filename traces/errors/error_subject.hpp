#pragma once

#include "traces/errors/input_error.hpp"

#include <string>
#include <utility>

namespace keyswap {

/// For `map_error`: the same error about something else. A library names the field that is wrong;
/// the command that filled it in says so which of its options that is.
[[nodiscard]] inline auto about(std::string subject) {
    return [subject = std::move(subject)](InputError error) {
        error.subject = subject;
        return error;
    };
}

} // namespace keyswap
