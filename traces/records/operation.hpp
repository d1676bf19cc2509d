#pragma once

#include "traces/errors/input_error.hpp"

#include <string_view>

namespace keyswap {

/// What a run computes.
enum class Operation { sort, multisplit, histogram, sssp, external_sort };

/// "sort", "multisplit", "histogram", "sssp" or "external-sort".
[[nodiscard]] std::string_view to_string(Operation operation);
/// \param version trace format version; rejects operations that a later version added
[[nodiscard]] Expected<Operation> parse_operation(std::string_view text, int version);
/// First version of the trace format with the operation.
[[nodiscard]] constexpr int operation_version(Operation operation) {
    return operation == Operation::external_sort ? 3 : 2;
}

} // namespace keyswap
