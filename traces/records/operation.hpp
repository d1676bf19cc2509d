#pragma once

#include "traces/errors/input_error.hpp"

#include <string_view>

namespace keyswap {

/// What a run did with its input.
enum class Operation { sort, multisplit, histogram, sssp };

/// "sort", "multisplit", "histogram" or "sssp".
[[nodiscard]] std::string_view to_string(Operation operation);
[[nodiscard]] Expected<Operation> parse_operation(std::string_view text);

} // namespace keyswap
