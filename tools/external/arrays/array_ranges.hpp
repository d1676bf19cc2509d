#pragma once

/// \file Ranges of an external sort in host memory: the engine's GPUs, or else all cores, partition
/// the arrays into scratch arrays of equal size, and the engine sorts each range to its final place
/// in the arrays.

#include "model/external/external_plan.hpp"
#include "tools/external/arrays/range_engine.hpp"
#include "traces/records/records.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace keyswap::tools {

/// Arrays of keys and values, with their division into ranges.
class ArrayRanges {
  public:
    /// \param layout keys with optional values \param arrays including scratch arrays of equal size
    ArrayRanges(model::RecordLayout const& layout,
                model::ExternalMemory const& memory,
                unsigned threads,
                RangeArrays const& arrays);

    /// Divides the arrays into ranges, and oversized ranges again until all fit.
    [[nodiscard]] Expected<void> partition(RangeEngine& engine);

    /// In the model's order, without digests; undivided ranges have `place` set.
    [[nodiscard]] std::vector<KeyRangeRecord> const& ranges() const { return ranges_; }
    [[nodiscard]] std::vector<RangeDivisionRecord> const& divisions() const { return divisions_; }
    /// Indices of the non-empty undivided ranges, by ascending place.
    [[nodiscard]] std::vector<std::size_t> const& leaves() const { return leaves_; }

    /// Task that sorts a range to its final place in the arrays.
    [[nodiscard]] RangeTask task(std::size_t range) const;

    /// In partition(), to sample, and to count the keys of each range unless GPUs do it while they
    /// move elements.
    double count_seconds = 0;
    double move_seconds = 0; ///< in partition(), to move elements to their ranges

  private:
    struct Part {
        std::uint64_t begin = 0;           ///< final place
        std::vector<RangeElements> pieces; ///< of the arrays, or of the scratch arrays
        bool is_in_scratch = false;
    };

    [[nodiscard]] Expected<void> divide(std::size_t range, RangeEngine& engine);
    [[nodiscard]] std::vector<model::ImageInterval> choose(std::size_t range);
    [[nodiscard]] Expected<bool> distribute(std::span<model::ImageInterval const> images,
                                            RangeEngine& engine);
    void distribute_by_cores(std::size_t range, std::span<model::ImageInterval const> images);
    [[nodiscard]] RangeElements place_of(std::size_t range, bool in_scratch) const;
    void append_children(std::size_t range,
                         std::span<model::ImageInterval const> images,
                         std::span<std::uint64_t const> counts);
    template <class Function>
    void with_types(Function const& function) const;
    template <class Word, class Reader, class Slots>
    [[nodiscard]] std::vector<std::vector<std::uint64_t>> count(std::span<std::byte> from,
                                                                Reader const& reader,
                                                                Slots const& slots,
                                                                std::size_t children) const;
    template <class Word, class Value, class Reader, class Slots>
    void move(RangeElements const& from,
              RangeElements const& to,
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

/// Record layout of a key followed by its value, with the types of a shape.
[[nodiscard]] model::RecordLayout layout_of_arrays(SortShape const& shape);

/// Sorts all ranges to their places; meanwhile, copies single-valued ranges on the CPU.
/// \param engine prepared for the largest range with two or more values
[[nodiscard]] Expected<void>
sort_ranges(ArrayRanges const& ranges, RangeEngine& engine, unsigned threads);

} // namespace keyswap::tools
