#pragma once

#include "kernels/sort.hpp"
#include "traces/errors/input_error.hpp"

namespace keyswap::tools {

/// Converts an error of a sort on GPUs to the form that commands print.
[[nodiscard]] inline InputError to_input_error(kernels::SortError const& error) {
    return {"GPUs", error.message, ""};
}

} // namespace keyswap::tools
