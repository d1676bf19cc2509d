#pragma once

/// \file What one reading of a sequence finds, wherever its parts lie: its order and what it holds.

#include "kernels/check/array_digest.hpp"
#include "kernels/sort.hpp"
#include "traces/records/sort_shape.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace keyswap::kernels {

/// A part of a sequence, in memory of the host or of one device.
struct SequencePart {
    /// In place of a device's number.
    static constexpr int in_host_memory = -1;
    static constexpr int on_any_device = -2; ///< on the one that the address belongs to

    int device = in_host_memory;
    void const* keys = nullptr;   ///< [count], aligned to the key type; may be null if count is 0
    void const* values = nullptr; ///< [count], aligned to the value type; null without values
    std::uint64_t count = 0;
};

struct SummaryOptions {
    NanOrder nan_order = NanOrder::total;
    std::uint64_t seed = 1; ///< of the digest: sequences that are compared need the same
};

/// Ranks that hold a part each send these, of some hundred bytes, and join them.
struct SequenceSummary {
    ArrayDigest elements;         ///< keys with their values, in any order
    std::uint64_t violations = 0; ///< pairs of neighbours that are out of order
    /// Index of the first of the first such pair; nullopt if there is none.
    std::optional<std::uint64_t> first_violation;
    /// What compares for the first key, and for the last: its image, but for NaNs and zeros that
    /// are equal; nullopt if there are no keys.
    std::optional<KeyImage> first;
    std::optional<KeyImage> last;

    friend bool operator==(SequenceSummary const&, SequenceSummary const&) = default;
};

/// Of the keys of `left` followed by those of `right`. \pre both are of one shape and seed
[[nodiscard]] SequenceSummary joined(SequenceSummary const& left, SequenceSummary const& right);

/// "part 2 of 5".
[[nodiscard]] std::string part_name(std::size_t index, std::size_t count);

/// \return an error that begins with `name` if the part lacks an array or one is misaligned
[[nodiscard]] SortExpected<void>
check_part(SortShape const& shape, SequencePart const& part, std::string const& name);

/// Reads a part in host memory, on all cores. \pre check_part() has no error for it
[[nodiscard]] SequenceSummary summarize_in_host_memory(SortShape const& shape,
                                                       SequencePart const& part,
                                                       SummaryOptions const& options);

} // namespace keyswap::kernels
