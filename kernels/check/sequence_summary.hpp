#pragma once

/// \file Result of one read of a sequence in parts: its order and its contents.

#include "kernels/check/array_digest.hpp"
#include "kernels/sort.hpp"
#include "traces/records/sort_shape.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace keyswap::kernels {

/// A part of a sequence, in host memory or memory of one device.
struct SequencePart {
    /// Used instead of a device number.
    static constexpr int in_host_memory = -1;
    static constexpr int on_any_device = -2; ///< the device that owns the address

    int device = in_host_memory;
    void const* keys = nullptr;   ///< [count], aligned to the key type; may be null if count is 0
    void const* values = nullptr; ///< [count], aligned to the value type; null without values
    std::uint64_t count = 0;
};

struct SummaryOptions {
    NanOrder nan_order = NanOrder::total;
    std::uint64_t seed = 1; ///< of the digest: use the same for sequences to compare
};

/// Ranks with a part each exchange these, which have about a hundred bytes, and join them.
struct SequenceSummary {
    ArrayDigest elements;         ///< digest of keys and values, order-independent
    std::uint64_t violations = 0; ///< pairs of adjacent keys out of order
    /// Index of the first key of the first such pair; nullopt if there is none.
    std::optional<std::uint64_t> first_violation;
    /// Compared image of the first key and of the last: differs from the image only for NaNs and
    /// for equal zeros; nullopt if there are no keys.
    std::optional<KeyImage> first;
    std::optional<KeyImage> last;

    friend bool operator==(SequenceSummary const&, SequenceSummary const&) = default;
};

/// Summary of the keys of `left` followed by those of `right`. \pre same shape and seed
[[nodiscard]] SequenceSummary joined(SequenceSummary const& left, SequenceSummary const& right);

/// "part 2 of 5".
[[nodiscard]] std::string part_name(std::size_t index, std::size_t count);

/// \return an error that begins with `name` if an array of the part is missing or misaligned
[[nodiscard]] SortExpected<void>
check_part(SortShape const& shape, SequencePart const& part, std::string const& name);

/// Reads a part in host memory, on all cores. \pre check_part() succeeded
[[nodiscard]] SequenceSummary summarize_in_host_memory(SortShape const& shape,
                                                       SequencePart const& part,
                                                       SummaryOptions const& options);

} // namespace keyswap::kernels
