#pragma once

#include "traces/errors/input_error.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace keyswap {

/// An InputError as the result of a function that returns Expected.
[[nodiscard]] inline tl::unexpected<InputError>
refused(std::string_view subject, std::string problem, std::string remedy) {
    return tl::unexpected(InputError{std::string(subject), std::move(problem), std::move(remedy)});
}

} // namespace keyswap
