#pragma once

#include "kernels/sort.hpp"
#include "traces/errors/input_error.hpp"

namespace keyswap::tools {

/// What a sort on GPUs reports, as commands print it.
[[nodiscard]] inline InputError to_input_error(kernels::SortError const& error) {
    return {"GPUs", error.message, ""};
}

} // namespace keyswap::tools
