#pragma once

/// \file Engines that sort the ranges of an external sort: this machine's CPU cores or its GPUs.

#include "kernels/range_sorter.hpp"
#include "model/external/record_layout.hpp"
#include "traces/errors/input_error.hpp"
#include "traces/records/records.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <vector>

namespace keyswap::tools {

/// Representation of a layout's records for sorting.
enum class RangeMethod {
    keys,         ///< records are keys
    pairs,        ///< arrays of keys and of values
    packed_order, ///< words: image of the key, then record index in the low bits
    order         ///< arrays of images and of record indices
};
inline constexpr int range_index_bits = 32; ///< record index within a range
[[nodiscard]] RangeMethod range_method(model::RecordLayout const& layout);

/// Key and value types of the elements that an engine sorts for a layout.
[[nodiscard]] SortShape range_shape(model::RecordLayout const& layout);

/// Arrays in host memory with equal element counts, each aligned to its element type.
struct RangeArrays {
    std::span<std::byte> keys;
    std::span<std::byte> values;        ///< empty if there are no values
    std::span<std::byte> key_scratch;   ///< overwritten
    std::span<std::byte> value_scratch; ///< overwritten
};

/// Consecutive keys and values in host memory.
struct RangeElements {
    std::span<std::byte> keys;
    std::span<std::byte> values; ///< empty if there are no values
    std::uint64_t count = 0;

    [[nodiscard]] RangeElements part(std::uint64_t first, std::uint64_t some) const;
};

/// Elements [first, first + count) of consecutive pieces.
[[nodiscard]] std::vector<RangeElements>
part_of_pieces(std::span<RangeElements const> pieces, std::uint64_t first, std::uint64_t count);

/// The elements of arrays, and the same places of the scratch arrays.
[[nodiscard]] RangeElements elements_of(RangeArrays const& arrays, std::size_t key_bytes);
[[nodiscard]] RangeElements scratch_of(RangeArrays const& arrays, std::size_t key_bytes);

/// A range to sort.
struct RangeTask {
    std::vector<RangeElements> pieces; ///< in order
    RangeElements sorted;              ///< destination; may be the only piece
    RangeElements
        scratch; ///< overwritten, may be the destination; empty if there are several pieces
};

/// Copies the pieces of a range to its destination.
[[nodiscard]] Expected<void> copy_pieces(RangeTask const& task, unsigned threads);

/// Sorts ranges. Stable for keys with values.
class RangeEngine {
  public:
    RangeEngine() = default;
    RangeEngine(RangeEngine const&) = delete;
    RangeEngine& operator=(RangeEngine const&) = delete;
    virtual ~RangeEngine() = default;

    /// An interrupted sort can only continue with an engine of the same name.
    [[nodiscard]] virtual std::string name() const = 0;
    /// Sets the sort and the devices in a trace header.
    virtual void describe(RunHeader& header) const = 0;
    /// Allocates memory for sorts of up to count_max elements; called before any other work.
    [[nodiscard]] virtual Expected<void> prepare(SortShape const& shape,
                                                 std::uint64_t count_max) = 0;
    /// Allocated bytes on each device. \pre prepare() was called
    [[nodiscard]] virtual std::uint64_t bytes_per_device() const { return 0; }
    /// Pins memory for faster transfers to and from the devices until the result is destroyed. May
    /// return null.
    [[nodiscard]] virtual std::shared_ptr<void const> pin(std::span<std::byte> memory) = 0;
    /// Sorts in place. \pre prepared for at least as many elements
    [[nodiscard]] virtual Expected<void> sort(RangeArrays const& arrays) = 0;
    /// Sorts ranges in order. \pre prepared for at least as many elements as the largest range
    /// \param next returns a range, or nullopt after the last; at most three ranges are in flight.
    /// Only an engine that distributes elements sorts ranges of several pieces.
    /// \param finished called once a range is sorted, in order
    [[nodiscard]] virtual Expected<void>
    sort_ranges(std::function<std::optional<RangeTask>()> const& next,
                std::function<void()> const& finished) = 0;
    /// Orders each block of the arrays by range, into the scratch arrays. Stable.
    /// \param highest highest image of each range, ascending
    /// \return nullopt, without any work, if the engine does not distribute elements
    [[nodiscard]] virtual Expected<std::optional<kernels::BlockCounts>>
    distribute(RangeArrays const& /*arrays*/, std::span<KeyImage const> /*highest*/) {
        return std::nullopt;
    }
    /// Makes the transfers of sort_ranges() without sorting: a lower bound for its time. Overwrites
    /// the arrays. Does nothing if the engine works in host memory.
    [[nodiscard]] virtual Expected<void> move_ranges(std::span<RangeTask const> /*tasks*/) {
        return {};
    }
};

/// \param threads at least 1
[[nodiscard]] std::shared_ptr<RangeEngine> make_cpu_range_engine(unsigned threads);

} // namespace keyswap::tools
