#pragma once

#include "kernels/sort.hpp"
#include "tools/external/arrays/range_engine.hpp"

#include <memory>

namespace keyswap::tools {

/// Sorts ranges in host memory on GPUs.
/// \param options sort and devices; prepare() sets the shape
[[nodiscard]] std::shared_ptr<RangeEngine>
make_gpu_range_engine(kernels::SortOptions const& options);

} // namespace keyswap::tools
