#pragma once

#include "traces/errors/input_error.hpp"

#include <string_view>

namespace keyswap {

/// What a run did with its input.
enum class Operation { sort, multisplit, histogram, sssp, external_sort };

/// "sort", "multisplit", "histogram", "sssp" or "external-sort".
[[nodiscard]] std::string_view to_string(Operation operation);
/// \param version of the trace whose operation it is
[[nodiscard]] Expected<Operation> parse_operation(std::string_view text, int version);
/// Version of the trace format that brought the operation.
[[nodiscard]] constexpr int operation_version(Operation operation) {
    return operation == Operation::external_sort ? 3 : 2;
}

} // namespace keyswap
