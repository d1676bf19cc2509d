#pragma once

#include "traces/errors/input_error.hpp"
#include "traces/records/bucket_function.hpp"
#include "traces/records/key_image.hpp"
#include "traces/records/key_type.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace keyswap::model {

/// Samples by bin. Bin b holds those with edge b <= sample < edge b + 1.
struct ValueHistogram {
    std::uint64_t below = 0;           ///< samples under the first edge; NaNs with the sign set
    std::vector<std::uint64_t> counts; ///< [bins]
    std::uint64_t above = 0;           ///< samples from the last edge on; other NaNs
    friend bool operator==(ValueHistogram const&, ValueHistogram const&) = default;
};

/// The edges of bins of equal width, which define what an "even" histogram counts:
/// edge i = lower + i (upper - lower) / bins, computed in double and rounded to the key type.
/// \return [bins + 1] images, strictly ascending
/// Refuses bins that are narrower than the type can distinguish and bounds that it does not hold.
[[nodiscard]] Expected<std::vector<KeyImage>>
even_edges(KeyType type, double lower, double upper, std::uint32_t bins);

/// The function that puts a sample into bucket 0 below the first edge, else into that of its bin
/// plus 1.
[[nodiscard]] BucketFunction edge_function(std::span<KeyImage const> edges);

/// Counts samples between edges (HistogramRange of GPU Multisplit, section 7.3, and CUB).
/// \param edges [bins + 1] strictly ascending, at least 2
template <class Image>
[[nodiscard]] ValueHistogram
value_histogram(std::span<Image const> images, std::span<KeyImage const> edges, int key_bits);

} // namespace keyswap::model
