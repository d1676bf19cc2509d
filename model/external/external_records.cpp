#include "model/external/external_records.hpp"

#include "model/external/stream_sample.hpp"
#include "model/keys/interval_slots.hpp"
#include "traces/errors/contracts.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace keyswap::model {

namespace {

/// Plans range by range; divides the lowest oversized range first.
class ExternalReplay {
  public:
    ExternalReplay(RecordLayout const& layout,
                   ExternalMemory const& memory,
                   SampleRule const& rule,
                   RecordSource& source)
        : layout_(layout), memory_(memory), rule_(rule), source_(source) {}

    Expected<ExternalRecords> replay(std::uint64_t record_count, std::size_t divisions_max) {
        records_.ranges.push_back(whole_input(layout_, record_count));
        std::vector<std::size_t> rest{0}; // a stack: the lowest range is on top
        std::uint64_t place = 0;
        while (!rest.empty()) {
            std::size_t const id = rest.back();
            rest.pop_back();
            KeyRangeRecord const range = records_.ranges[id];
            if (is_oversized(memory_, images_of(range), range.count) &&
                records_.divisions.size() < divisions_max) {
                std::size_t const first = records_.ranges.size();
                KEYSWAP_RETURN_IF_ERROR(divide(range));
                for (std::size_t child = records_.ranges.size(); child-- > first;) {
                    rest.push_back(child);
                }
            } else if (range.count > 0) {
                KEYSWAP_RETURN_IF_ERROR(put(records_.ranges[id], place));
                place += range.count;
            }
        }
        return std::move(records_);
    }

  private:
    Expected<void> divide(KeyRangeRecord const& range) {
        RangeTarget const target = range_target(memory_, range.count);
        bool const streamed = rule_.streamed && range.id == 0;
        KEYSWAP_TRY(auto const sample,
                    streamed ? draw_stream(rule_.draws(memory_, range))
                             : draw(range, sample_positions(target, rule_.seed)));
        auto const intervals = choose_ranges(sample, target, images_of(range));
        records_.divisions.push_back(
            division_record(layout_, memory_, range, rule_, sample, intervals.size()));
        std::size_t const first = records_.ranges.size();
        std::vector<CountedInterval> counted;
        for (ImageInterval const images : intervals) {
            counted.push_back({images, records_.ranges.size()});
            records_.ranges.push_back({records_.ranges.size(),
                                       range.id,
                                       key_image(images.lowest),
                                       key_image(images.highest),
                                       0,
                                       MultisetDigest{},
                                       std::nullopt,
                                       std::nullopt});
        }
        KEYSWAP_RETURN_IF_ERROR(with_image_reader(layout_, [&](auto const& read) {
            using Word = std::decay_t<decltype(read(nullptr))>;
            IntervalSlots<Word> const slots(counted, layout_.image_bits());
            return each([&](std::span<std::byte const> record) {
                std::size_t const slot = slots.slot_of(read(record.data()));
                if (slot != IntervalSlots<Word>::no_slot) {
                    *records_.ranges[slot].digest += digest_of_records(layout_, record);
                }
            });
        }));
        for (std::size_t i = first; i < records_.ranges.size(); ++i) {
            records_.ranges[i].count = records_.ranges[i].digest->count;
        }
        return {};
    }

    /// Images of a range's records at some positions in order of arrival.
    Expected<std::vector<uint128>> draw(KeyRangeRecord const& range,
                                        std::vector<std::uint64_t> const& positions) {
        std::vector<uint128> sample;
        sample.reserve(positions.size());
        ImageInterval const images = images_of(range);
        std::uint64_t index = 0;
        KEYSWAP_RETURN_IF_ERROR(with_image_reader(layout_, [&](auto const& read) {
            return each([&](std::span<std::byte const> record) {
                uint128 const image = read(record.data());
                if (!images.contains(image)) {
                    return;
                }
                while (sample.size() < positions.size() && positions[sample.size()] == index) {
                    sample.push_back(image);
                }
                ++index;
            });
        }));
        KEYSWAP_ENSURES(sample.size() == positions.size());
        return sample;
    }

    /// Images of a sample of the stream's records.
    Expected<std::vector<uint128>> draw_stream(std::uint64_t draws) {
        std::vector<StreamDraw> room(draws);
        StreamSample sample(room, rule_.seed);
        KEYSWAP_RETURN_IF_ERROR(with_image_reader(layout_, [&](auto const& read) {
            return each([&](std::span<std::byte const> record) {
                sample.add([&]() -> uint128 { return read(record.data()); });
            });
        }));
        return sample.images(draws);
    }

    Expected<void> put(KeyRangeRecord& range, std::uint64_t place) {
        if (!range.digest) { // the input itself has no digest yet
            range.digest = MultisetDigest{};
            KEYSWAP_RETURN_IF_ERROR(source_.sweep([&](std::span<std::byte const> records) {
                *range.digest += digest_of_records(layout_, records);
            }));
        }
        range.place = place;
        range.output = range.digest;
        return {};
    }

    template <class Visit>
    Expected<void> each(Visit const& visit) {
        return source_.sweep([&](std::span<std::byte const> records) {
            for (std::size_t at = 0; at < records.size(); at += layout_.record_bytes) {
                visit(records.subspan(at, layout_.record_bytes));
            }
        });
    }

    RecordLayout layout_;
    ExternalMemory memory_;
    SampleRule rule_;
    RecordSource& source_;
    ExternalRecords records_;
};

SequenceDigest digest_of_sample(std::span<uint128 const> sample) {
    SequenceDigest digest;
    for (uint128 const image : sample) {
        digest += digest_at(digest.count, digest_of_wide(key_image(image)));
    }
    return digest;
}

} // namespace

std::uint64_t SampleRule::draws(ExternalMemory const& memory, KeyRangeRecord const& range) const {
    std::uint64_t const draws = range_target(memory, range.count).draws();
    return streamed && range.id == 0 ? std::min(draws, range.count) : draws;
}

ExternalSortRecord external_sort_record(RecordLayout const& layout, ExternalMemory const& memory) {
    return {layout.record_bytes,
            layout.key_offset,
            layout.key_bytes,
            memory.given_bytes,
            memory.reserve_bytes,
            memory.block_bytes,
            memory.ranges_max,
            memory.records_max,
            memory.gpu_records_max};
}

KeyRangeRecord whole_input(RecordLayout const& layout, std::uint64_t record_count) {
    KeyRangeRecord range;
    range.highest = key_image(largest_image_of_bits(layout.image_bits()));
    range.count = record_count;
    return range;
}

RangeDivisionRecord division_record(RecordLayout const& layout,
                                    ExternalMemory const& memory,
                                    KeyRangeRecord const& range,
                                    SampleRule const& rule,
                                    std::span<uint128 const> sample,
                                    std::size_t range_count) {
    RangeTarget const target = range_target(memory, range.count);
    return {range.id,
            rule.seed,
            rule.draws(memory, range),
            target.planned_records(),
            memory.buffer_bytes(layout, range_count),
            digest_of_sample(sample)};
}

Expected<ExternalRecords> record_external_sort(RecordLayout const& layout,
                                               ExternalMemory const& memory,
                                               SampleRule const& rule,
                                               std::uint64_t record_count,
                                               RecordSource& source,
                                               std::size_t divisions_max) {
    return ExternalReplay(layout, memory, rule, source).replay(record_count, divisions_max);
}

} // namespace keyswap::model
