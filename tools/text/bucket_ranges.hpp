#pragma once

#include "traces/records/bucket_function.hpp"
#include "traces/records/sort_shape.hpp"

#include <string>
#include <vector>

namespace keyswap::tools {

/// Displayed names of a function's buckets: "above 10 to 30" between splitters, "0 to 4095" for
/// ranges, "prime", "digit 0x1f", or "hash 5" and "label 5" if there is only a number. \pre the
/// function is valid for the keys \return [m]
[[nodiscard]] std::vector<std::string> bucket_ranges(BucketFunction const& function,
                                                     SortShape const& keys);

} // namespace keyswap::tools
