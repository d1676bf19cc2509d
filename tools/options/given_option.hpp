#pragma once

/// \file Which of several options was given, for what is refused together.

#include <initializer_list>
#include <optional>
#include <string>
#include <utility>

namespace keyswap::tools {

/// Whether an option was given, and its name as errors show it.
using GivenOption = std::pair<bool, std::string>;

/// The name of the first that was given; nullopt if none was.
[[nodiscard]] inline std::optional<std::string>
first_given(std::initializer_list<GivenOption> options) {
    for (auto const& [is_given, name] : options) {
        if (is_given) {
            return name;
        }
    }
    return std::nullopt;
}

} // namespace keyswap::tools
