#pragma once

/// \file Checks of arrays in the memory of GPUs: their order and what they hold, in one reading and
/// without a copy to the host. No CUDA header is needed.
///
///     auto const before = summarize(shape, parts);  // parts of any lengths, in their order
///     my_sort(...);
///     auto const after = summarize(shape, parts);
///     bool const is_right = after->violations == 0 && after->elements == before->elements;

#include "kernels/check/array_digest.hpp"
#include "kernels/sort.hpp"

#include <cstdint>
#include <optional>
#include <span>

namespace keyswap::kernels {

/// An array, or a part of one, in the memory of one device.
struct DeviceArray {
    int device = 0;
    void const* keys = nullptr;   ///< [count], aligned to the key type; may be null if count is 0
    void const* values = nullptr; ///< [count], aligned to the value type; null without values
    std::uint64_t count = 0;
};

/// What one reading of a sequence finds. Ranks that hold a part each send these, of some hundred
/// bytes, and join them.
struct SequenceSummary {
    ArrayDigest elements;         ///< keys with their values, in any order
    std::uint64_t violations = 0; ///< pairs of neighbours that are out of order
    /// Index of the first of the first such pair; nullopt if there is none.
    std::optional<std::uint64_t> first_violation;
    std::optional<KeyImage> first; ///< image of the first key; nullopt if there are no keys
    std::optional<KeyImage> last;

    friend bool operator==(SequenceSummary const&, SequenceSummary const&) = default;
};

/// Of the keys of `left` followed by those of `right`. \pre both are of one shape and seed
[[nodiscard]] SequenceSummary joined(SequenceSummary const& left, SequenceSummary const& right);

/// Reads all parts, each on its device, and waits for them. Work that was queued in other streams
/// must be done. Order is the total order of the key type (-0.0 before +0.0) in the shape's
/// direction; whether equal keys kept their order is not looked at.
/// \param seed of the digest: sequences that are compared need the same
[[nodiscard]] SortExpected<SequenceSummary>
summarize(SortShape const& shape, std::span<DeviceArray const> parts, std::uint64_t seed = 1);

} // namespace keyswap::kernels
