#pragma once

#include "traces/errors/input_error.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace keyswap {

/// How messages name a setting of the caller: as its option, `--gpus` for "gpus". Libraries know
/// settings by name; only this file knows that commands take them as options.
[[nodiscard]] inline std::string setting(std::string_view name) {
    return "--" + std::string(name);
}
/// With its value: `--gpus 0,1`.
[[nodiscard]] inline std::string setting(std::string_view name, std::string_view value) {
    return setting(name) + " " + std::string(value);
}

/// Replaces an error's subject; for `map_error`. A library names the invalid field, and the
/// calling command maps that field to the option that set it.
[[nodiscard]] inline auto about(std::string subject) {
    return [subject = std::move(subject)](InputError error) {
        error.subject = subject;
        return error;
    };
}

} // namespace keyswap
