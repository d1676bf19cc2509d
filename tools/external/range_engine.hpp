#pragma once

/// \file What sorts the ranges of an external sort: this machine's cores, or its GPUs.

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

namespace keyswap::tools {

/// How the records of a layout are sorted.
enum class RangeMethod {
    keys,         ///< they are keys
    pairs,        ///< as arrays of keys and of values
    packed_order, ///< as words of the key's image and the record's index below it
    order         ///< as arrays of images and of indices
};
inline constexpr int range_index_bits = 32; ///< of a record within its range
[[nodiscard]] RangeMethod range_method(model::RecordLayout const& layout);

/// The elements that an engine sorts for a layout.
[[nodiscard]] SortShape range_shape(model::RecordLayout const& layout);

/// Arrays in host memory, all of as many elements, aligned to them.
struct RangeArrays {
    std::span<std::byte> keys;
    std::span<std::byte> values;        ///< empty without values
    std::span<std::byte> key_scratch;   ///< its content is lost
    std::span<std::byte> value_scratch; ///< likewise
};

enum class RangeResult {
    in_place,
    in_scratch ///< the arrays are the scratch space then
};

/// A range to be sorted.
struct RangeTask {
    RangeArrays arrays;
    RangeResult result = RangeResult::in_place;
};

/// Copies keys and values to their scratch space.
[[nodiscard]] Expected<void> copy_to_scratch(RangeArrays const& arrays, unsigned threads);

/// Sorts ranges. Equal keys with values keep their order.
class RangeEngine {
  public:
    RangeEngine() = default;
    RangeEngine(RangeEngine const&) = delete;
    RangeEngine& operator=(RangeEngine const&) = delete;
    virtual ~RangeEngine() = default;

    /// An interrupted sort continues only with an engine of the same name.
    [[nodiscard]] virtual std::string name() const = 0;
    /// Fills in the sort and its devices.
    virtual void describe(RunHeader& header) const = 0;
    /// Allocates what sorts of so many elements take, before any other work.
    [[nodiscard]] virtual Expected<void> prepare(SortShape const& shape,
                                                 std::uint64_t count_max) = 0;
    /// Memory that it holds on each of its devices. \pre prepared
    [[nodiscard]] virtual std::uint64_t bytes_per_device() const { return 0; }
    /// Makes transfers from and to the memory of arrays faster while the result lives. It may be
    /// null.
    [[nodiscard]] virtual std::shared_ptr<void const> pin(std::span<std::byte> memory) = 0;
    /// Sorts in place. \pre prepared for as many elements
    [[nodiscard]] virtual Expected<void> sort(RangeArrays const& arrays) = 0;
    /// Sorts ranges in order. \pre prepared for as many elements as any has
    /// \param next gives a range, or nullopt behind the last; at most three are under way
    /// \param finished called for each range, in order
    [[nodiscard]] virtual Expected<void>
    sort_ranges(std::function<std::optional<RangeTask>()> const& next,
                std::function<void()> const& finished) = 0;
    /// Moves what sort_ranges() would, and does not sort: a lower bound of its time. The arrays are
    /// lost. Does nothing if the engine works in host memory.
    [[nodiscard]] virtual Expected<void> move_ranges(std::span<RangeTask const> /*tasks*/) {
        return {};
    }
};

/// \param threads at least 1
[[nodiscard]] std::shared_ptr<RangeEngine> make_cpu_range_engine(unsigned threads);

} // namespace keyswap::tools
