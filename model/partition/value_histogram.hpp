#pragma once

#include "traces/errors/input_error.hpp"
#include "traces/records/bucket_function.hpp"
#include "traces/records/key_image.hpp"
#include "traces/records/key_type.hpp"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

namespace keyswap::model {

/// Histogram of samples. Bin b counts samples with edge b <= sample < edge b + 1.
struct ValueHistogram {
    std::uint64_t below = 0;           ///< below the first edge; includes NaNs with sign bit
    std::vector<std::uint64_t> counts; ///< [bins]
    std::uint64_t above = 0;           ///< at or above the last edge; includes other NaNs
    friend bool operator==(ValueHistogram const&, ValueHistogram const&) = default;
};

/// Edges of bins of equal width, the definition of an "even" histogram:
/// edge i = lower + i (upper - lower) / bins, rounded to the key type, ties to even; computed
/// exactly for whole numbers and bytes, in double for floats. An edge of zero is -0.0, so that both
/// zeros are at or above it.
/// \param range "LOWER:UPPER", keys of the type
/// \return [bins + 1] images, strictly ascending; an error if bins are narrower than the type's
/// resolution or a bound is not a key
[[nodiscard]] Expected<std::vector<KeyImage>>
even_edges(KeyType type, std::string_view range, std::uint32_t bins);

/// Reads ascending edges from a file, as read_ascending_keys(); zeros as in even_edges().
/// \return [bins + 1] images, strictly ascending, at least 2; errors name file and key
[[nodiscard]] Expected<std::vector<KeyImage>> read_edges(std::filesystem::path const& path,
                                                         KeyType type);

/// A bucket function: bucket 0 is below the first edge, bucket b + 1 is bin b, and the last one is
/// at or above the last edge.
[[nodiscard]] BucketFunction edge_function(std::span<KeyImage const> edges);

/// Counts samples between edges (HistogramRange of GPU Multisplit, section 7.3, and CUB).
/// \param edges [bins + 1] strictly ascending, at least 2
template <class Image>
[[nodiscard]] ValueHistogram
value_histogram(std::span<Image const> images, std::span<KeyImage const> edges, int key_bits);

} // namespace keyswap::model
