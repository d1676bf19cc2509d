#include "kernels/exchange_plan/swap_segments.hpp"

#include "kernels/exchange_plan/level_digits.hpp"
#include "kernels/exchange_plan/pair_table.hpp"

#include <algorithm>
#include <utility>

namespace keyswap::kernels {

namespace {

WideImage first_digit(ImageRange images, int bits_below_first) {
    return images.lowest >> bits_below_first;
}

bool is_on_one_gpu(FinalBucket const& bucket) {
    return bucket.placement.first == bucket.placement.last;
}

/// Appends a bucket that follows the segment's last one on every GPU.
void join(SwapSegment& segment, SwapSegment const& next) {
    segment.end_bucket = next.end_bucket;
    segment.count += next.count;
    segment.images.highest = next.images.highest;
    for (std::size_t gpu = 0; gpu < segment.sent.size(); ++gpu) {
        auto const add = [](KeyRange& part, KeyRange const& more) {
            if (part.count == 0) {
                part.offset = more.offset;
            }
            KEYSWAP_EXPECTS(more.count == 0 || part.offset + part.count == more.offset);
            part.count += more.count;
        };
        add(segment.sent[gpu], next.sent[gpu]);
        add(segment.arrived[gpu], next.arrived[gpu]);
    }
}

/// Collects segments, joining adjacent ones when allowed.
class SegmentList {
  public:
    /// \param most expected number of segments
    SegmentList(int bits_below_first, std::size_t most) : bits_below_first_(bits_below_first) {
        segments_.reserve(most);
    }

    /// \param is_whole true if no other GPU owns keys of the segment's buckets
    void add(SwapSegment segment, bool is_whole) {
        bool const joins = is_whole && last_is_whole_ && !segments_.empty() &&
                           segments_.back().gpu == segment.gpu &&
                           segments_.back().round == segment.round &&
                           first_digit(segments_.back().images, bits_below_first_) ==
                               first_digit(segment.images, bits_below_first_);
        if (joins) {
            join(segments_.back(), segment);
        } else {
            segments_.push_back(std::move(segment));
        }
        last_is_whole_ = is_whole;
    }
    [[nodiscard]] std::vector<SwapSegment> take() { return std::move(segments_); }

  private:
    int bits_below_first_;
    bool last_is_whole_ = false;
    std::vector<SwapSegment> segments_;
};

} // namespace

ArrivedPart SwapSegment::part_from(std::uint32_t source) const {
    bool const stayed = own_part == KeyBuffer::output && source == gpu.value;
    KeyRange const& part = stayed ? sent[source] : arrived[source];
    return {part.offset, part.count, stayed ? KeyBuffer::output : KeyBuffer::input};
}

std::vector<SwapSegment> round_segments(RoundPlan const& plan,
                                        std::span<FinalBucket const> buckets,
                                        std::span<OwnershipRecord const> ownership,
                                        int bits_below_first) {
    SegmentList list{bits_below_first, buckets.size()};
    for (OwnershipRecord const& owned : ownership) {
        for (std::uint32_t round = 0; round < plan.rounds; ++round) {
            RoundRange const& range = plan.ranges[owned.gpu.value][round];
            for (std::size_t i = range.first_bucket; i < range.end_bucket; ++i) {
                FinalBucket const& bucket = buckets[i];
                SwapSegment segment{
                    i, i + 1, owned.gpu, round, 0, 0, bucket.images, {}, {}, range.own_part};
                segment.begin = bucket.placement.begin - owned.base;
                segment.count = bucket.count();
                segment.sent.reserve(plan.gpu_count);
                segment.arrived.reserve(plan.gpu_count);
                for (std::uint32_t source = 0; source < plan.gpu_count; ++source) {
                    std::uint64_t const count = bucket.parts[source].count;
                    segment.sent.push_back({plan.layout_of(i, source), count});
                    segment.arrived.push_back({plan.arrival_of(i, source), count});
                }
                list.add(std::move(segment), true);
            }
        }
    }
    return list.take();
}

std::vector<SwapSegment> halved(std::span<SwapSegment const> segments,
                                std::span<std::uint64_t const> halves,
                                int bits_below_first) {
    std::vector<SwapSegment> result;
    for (SwapSegment const& segment : segments) {
        KEYSWAP_EXPECTS(segment.first_bucket + 1 == segment.end_bucket);
        std::size_t const gpus = segment.sent.size();
        std::size_t const row = halves.size() / gpus;
        auto const digit = static_cast<std::size_t>(first_digit(segment.images, bits_below_first));
        WideImage const middle = segment.images.lowest + (WideImage{1} << (bits_below_first - 1));
        SwapSegment low = segment;
        SwapSegment high = segment;
        low.images.highest = middle - 1;
        high.images.lowest = middle;
        low.count = 0;
        for (std::size_t gpu = 0; gpu < gpus; ++gpu) {
            std::uint64_t const in_low = halves[gpu * row + 2 * digit];
            KEYSWAP_EXPECTS(in_low <= segment.sent[gpu].count);
            for (auto const parts : {&SwapSegment::sent, &SwapSegment::arrived}) {
                (low.*parts)[gpu].count = in_low;
                (high.*parts)[gpu].offset += in_low;
                (high.*parts)[gpu].count -= in_low;
            }
            low.count += in_low;
        }
        high.begin += low.count;
        high.count -= low.count;
        for (SwapSegment& half : {std::ref(low), std::ref(high)}) {
            if (half.count > 0) {
                result.push_back(std::move(half));
            }
        }
    }
    return result;
}

bool use_half_digits(std::span<FinalBucket const> buckets, std::uint32_t leaf) {
    auto const levels = [leaf](std::uint64_t count) {
        return count <= leaf ? 0 : levels_to_leaves(count, leaf);
    };
    std::uint64_t keys = 0;
    std::uint64_t spared = 0;
    for (FinalBucket const& bucket : buckets) {
        std::uint64_t const count = bucket.count();
        keys += count;
        spared += levels((count + 1) / 2) < levels(count) ? count : 0;
    }
    return spared > keys / 4;
}

std::vector<SwapSegment> pair_segments(std::span<CopyRecord const> pairs,
                                       std::span<FinalBucket const> buckets,
                                       std::span<OwnershipRecord const> ownership,
                                       int bits_below_first) {
    PairTable by_pair{ownership.size(), pairs};
    SegmentList list{bits_below_first, buckets.size()};
    for (std::size_t i = 0; i < buckets.size(); ++i) {
        FinalBucket const& bucket = buckets[i];
        std::vector<SwapSegment> of_gpus; // ascending by GPU, like the copies of a bucket
        for (CopyRecord const& copy : bucket_copies({&bucket, 1}, ownership)) {
            if (of_gpus.empty() || of_gpus.back().gpu != copy.destination) {
                std::uint64_t const base = ownership[copy.destination.value].base;
                SwapSegment& segment = of_gpus.emplace_back();
                segment.first_bucket = i;
                segment.end_bucket = i + 1;
                segment.gpu = copy.destination;
                segment.images = bucket.images;
                segment.begin = std::max(bucket.placement.begin, base) - base;
                segment.sent.resize(ownership.size());
                segment.arrived.resize(ownership.size());
            }
            SwapSegment& segment = of_gpus.back();
            segment.sent[copy.source.value] = {copy.source_offset, copy.count};
            segment.arrived[copy.source.value] = {by_pair.arrival_of(copy), copy.count};
            segment.count += copy.count;
        }
        for (SwapSegment& segment : of_gpus) {
            list.add(std::move(segment), is_on_one_gpu(bucket));
        }
    }
    return list.take();
}

RoundPlan single_round_plan(std::span<CopyRecord const> pairs,
                            std::span<FinalBucket const> buckets,
                            std::span<OwnershipRecord const> ownership) {
    RoundPlan plan;
    plan.gpu_count = static_cast<std::uint32_t>(ownership.size());
    plan.copies.assign(pairs.begin(), pairs.end());
    // Ordered by source, each source would have to wait for all copies of the previous one.
    std::ranges::stable_sort(plan.copies, {}, [&plan](CopyRecord const& copy) {
        return (copy.destination.value + plan.gpu_count - copy.source.value) % plan.gpu_count;
    });
    for (OwnershipRecord const& owned : ownership) {
        plan.ranges.push_back({RoundRange{0, buckets.size(), 0, owned.count, plan.rounds}});
    }
    return plan;
}

std::vector<ScatterLabel> scatter_labels(std::span<SwapSegment const> segments,
                                         std::uint32_t source) {
    std::vector<ScatterLabel> labels;
    ImageRange last{1, 0};
    bool last_has_keys = false;
    for (SwapSegment const& segment : segments) {
        KeyRange const& part = segment.sent[source];
        if (segment.images != last) {
            last = segment.images;
            last_has_keys = false;
            labels.push_back({last.lowest, part.offset});
        }
        if (!last_has_keys && part.count > 0) {
            labels.back().offset = part.offset; // of a cut bucket: its first part with keys
            last_has_keys = true;
        }
    }
    return labels;
}

std::vector<ArrivedSegment>
arrived_segments(std::span<SwapSegment const> segments, GpuId gpu, std::uint32_t round) {
    std::vector<ArrivedSegment> arrived;
    for (SwapSegment const& segment : segments) {
        if (segment.gpu != gpu || segment.round != round) {
            continue;
        }
        ArrivedSegment& each = arrived.emplace_back();
        each.begin = segment.begin;
        each.end_bit = segment.images.end_bit();
        for (std::uint32_t source = 0; source < segment.arrived.size(); ++source) {
            ArrivedPart const part = segment.part_from(source);
            if (part.count > 0) {
                each.add(part);
            }
        }
    }
    return arrived;
}

} // namespace keyswap::kernels
