#pragma once

/// \file The ranges of an external sort whose storage is host memory: arrays are partitioned by all
/// cores into as much room, and an engine sorts each range to its place in the arrays.

#include "model/external/external_plan.hpp"
#include "tools/external/range_engine.hpp"
#include "traces/records/records.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace keyswap::tools {

/// Keys and values in arrays, and the ranges that they are divided into.
class ArrayRanges {
  public:
    /// \param layout keys, with values or without \param arrays with as much room as scratch space
    ArrayRanges(model::RecordLayout const& layout,
                model::ExternalMemory const& memory,
                unsigned threads,
                RangeArrays const& arrays);

    /// Divides the arrays into ranges, and those that do not fit once more.
    [[nodiscard]] Expected<void> partition();

    /// As the model plans them, without digests; those that were not divided have their places.
    [[nodiscard]] std::vector<KeyRangeRecord> const& ranges() const { return ranges_; }
    [[nodiscard]] std::vector<RangeDivisionRecord> const& divisions() const { return divisions_; }
    /// Indices of ranges that have elements and were not divided, by their places.
    [[nodiscard]] std::vector<std::size_t> const& leaves() const { return leaves_; }

    /// A range, to be sorted to its place in the arrays.
    [[nodiscard]] RangeTask task(std::size_t range) const;
    /// Its elements once they are there.
    [[nodiscard]] RangeArrays placed(std::size_t range) const;

    double count_seconds = 0; ///< of partition(): samples, and keys of each range
    double move_seconds = 0;  ///< of partition(): elements to their ranges

  private:
    enum class Home { arrays, room };
    struct Part {
        std::uint64_t begin = 0;
        Home home = Home::arrays; ///< where the range's elements are
    };

    void divide(std::size_t range);
    [[nodiscard]] RangeArrays elements(std::size_t range, Home home) const;
    template <class Function>
    void with_types(Function const& function) const;
    template <class Reader>
    [[nodiscard]] std::vector<model::ImageInterval>
    choose(KeyRangeRecord const& range, Reader const& reader, RangeArrays const& from);
    template <class Word, class Reader, class Slots>
    [[nodiscard]] std::vector<std::vector<std::uint64_t>> count(RangeArrays const& from,
                                                                Reader const& reader,
                                                                Slots const& slots,
                                                                std::size_t children) const;
    void begin_children(std::size_t range,
                        std::span<model::ImageInterval const> images,
                        std::vector<std::vector<std::uint64_t>>& counts);
    template <class Word, class Value, class Reader, class Slots>
    void move(RangeArrays const& from,
              Reader const& reader,
              Slots const& slots,
              std::vector<std::vector<std::uint64_t>> const& places) const;

    model::RecordLayout layout_;
    model::ExternalMemory memory_;
    unsigned threads_;
    RangeArrays arrays_;
    std::size_t key_bytes_;
    std::size_t value_bytes_;
    std::vector<RangeDivisionRecord> divisions_;
    std::vector<KeyRangeRecord> ranges_;
    std::vector<Part> parts_; ///< [ranges]
    std::vector<std::size_t> leaves_;
};

/// The layout whose records are a shape's keys and values.
[[nodiscard]] model::RecordLayout layout_of_arrays(SortShape const& shape);

/// Sorts all ranges to their places; those of one value are copied meanwhile.
/// \param engine prepared for the largest of the others
[[nodiscard]] Expected<void>
sort_ranges(ArrayRanges const& ranges, RangeEngine& engine, unsigned threads);

} // namespace keyswap::tools
