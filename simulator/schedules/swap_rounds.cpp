#include "simulator/schedules/swap_rounds.hpp"

#include "model/sorts/rmg/key_swap.hpp"
#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

namespace keyswap::simulator {

namespace {

constexpr std::array one_round = {16};
constexpr std::array growing_rounds = {1, 2, 3, 3, 3, 4};
constexpr std::array even_rounds = {2, 2, 3, 3, 3, 3};
constexpr std::uint64_t keys_worth_rounds = std::uint64_t{1} << 24;

/// Where each round of each GPU's own range ends, [round][g].
using RoundEnds = std::vector<std::vector<std::uint64_t>>;

bool has_cut_buckets(model::Plan const& plan) {
    return std::ranges::any_of(plan.buckets, [](model::PlannedBucket const& bucket) {
        return bucket.placement.first != bucket.placement.last;
    });
}

/// Collects segments, joining those that may be.
class SegmentList {
  public:
    explicit SegmentList(int bits_below_first)
        : shift_(static_cast<unsigned>(bits_below_first)), joins_(bits_below_first > 0) {}

    /// \param is_whole no other GPU owns keys of its buckets
    void add(SwapSegment const& segment, bool is_whole) {
        auto const digit = [this](SwapSegment const& each) {
            return each.keys.images.lowest >> shift_;
        };
        bool const joins = joins_ && is_whole && last_is_whole_ && !segments_.empty() &&
                           segments_.back().gpu == segment.gpu &&
                           segments_.back().round == segment.round &&
                           digit(segments_.back()) == digit(segment);
        if (joins) {
            SwapSegment& all = segments_.back();
            all.end_bucket = segment.end_bucket;
            all.keys.count += segment.keys.count;
            all.keys.images.highest = segment.keys.images.highest;
        } else {
            segments_.push_back(segment);
        }
        last_is_whole_ = is_whole;
    }
    [[nodiscard]] std::vector<SwapSegment> take() {
        for (SwapSegment& segment : segments_) {
            segment.keys.end_bit = differing_bits(segment.keys.images);
        }
        return std::move(segments_);
    }

  private:
    unsigned shift_;
    bool joins_;
    bool last_is_whole_ = false;
    std::vector<SwapSegment> segments_;
};

/// Counts what moves in each round, and lists what is sorted as one. \return where the rounds end
RoundEnds fill_rounds(model::Plan const& plan,
                      std::span<int const> shares,
                      std::vector<SwapRound>& rounds,
                      SegmentList& segments) {
    std::uint32_t const gpus = plan.config.gpu_count;
    RoundEnds ends(shares.size(), std::vector<std::uint64_t>(gpus));
    std::size_t index = 0;
    for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
        OwnershipRecord const& owned = plan.ownership[gpu];
        std::uint64_t position = 0;
        std::uint64_t sixteenths = 0;
        for (std::size_t round = 0; round < shares.size(); ++round) {
            sixteenths += static_cast<std::uint64_t>(shares[round]);
            std::uint64_t const target = owned.count / 16 * sixteenths;
            bool const is_last = round + 1 == shares.size();
            while (index < plan.buckets.size() &&
                   plan.buckets[index].placement.first.value == gpu &&
                   (is_last || position < target)) {
                model::PlannedBucket const& bucket = plan.buckets[index];
                for (std::uint32_t source = 0; source < gpus; ++source) {
                    rounds[round].keys[source * gpus + gpu] +=
                        part_size(plan, bucket, GpuId{source});
                }
                rounds[round].buckets[gpu] += 1;
                position = bucket.placement.end - owned.base;
                std::uint64_t const count = bucket.placement.end - bucket.placement.begin;
                segments.add({GpuId{gpu},
                              static_cast<std::uint32_t>(round),
                              index,
                              index + 1,
                              {images_of(plan, bucket), count, 0, {}}},
                             true);
                ++index;
            }
            ends[round][gpu] = position;
        }
    }
    KEYSWAP_ENSURES(index == plan.buckets.size());
    return ends;
}

/// Lays out a GPU's chunk, which says what its results overwrite there before it is sent or read.
void lay_out_chunk(std::vector<SwapRound>& rounds,
                   RoundEnds const& ends,
                   std::uint32_t gpu,
                   std::uint64_t begin) {
    auto const gpus = static_cast<std::uint32_t>(ends.front().size());
    auto const own_of = [gpu, gpus](SwapRound const& round) {
        return round.keys[gpu * gpus + gpu];
    };
    auto const keep = [&](std::size_t round, std::uint64_t offset) {
        rounds[round].own_copied[gpu] = offset < ends[round][gpu] ? own_of(rounds[round]) : 0;
    };
    std::size_t const last = rounds.size() - 1;
    keep(last, begin);
    begin += own_of(rounds[last]);
    for (std::size_t sent = 0; sent < rounds.size(); ++sent) {
        std::uint64_t keys = 0;
        for (std::uint32_t destination = 0; destination < gpus; ++destination) {
            keys += destination == gpu ? 0 : rounds[sent].keys[gpu * gpus + destination];
        }
        for (std::size_t round = 0; round < rounds.size() && keys > 0; ++round) {
            if (begin < ends[round][gpu]) {
                rounds[round].sent_before[gpu] = static_cast<std::uint32_t>(sent + 1);
            }
        }
        begin += keys;
        if (sent != last) {
            keep(sent, begin);
            begin += own_of(rounds[sent]);
        }
    }
}

/// One copy a pair of GPUs; a bucket that is cut is a segment on each of its GPUs.
RoundPlan pairs(model::Plan const& plan, int bits_below_first) {
    std::uint32_t const gpus = plan.config.gpu_count;
    SwapRound all{model::transfer_matrix(plan),
                  std::vector<std::uint64_t>(gpus),
                  {},
                  std::vector<std::uint32_t>(gpus, 1U)};
    for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
        all.own_copied.push_back(all.keys[gpu * gpus + gpu]);
    }
    std::vector<SegmentList> lists(gpus, SegmentList(bits_below_first));
    for (std::size_t index = 0; index < plan.buckets.size(); ++index) {
        model::PlannedBucket const& bucket = plan.buckets[index];
        auto const parts = model::owned_parts(plan.chunks, bucket.placement);
        for (model::OwnedPart const& part : parts) {
            all.buckets[part.gpu.value] += 1;
            lists[part.gpu.value].add({part.gpu,
                                       0,
                                       index,
                                       index + 1,
                                       {images_of(plan, bucket), part.range.size(), 0, {}}},
                                      parts.size() == 1);
        }
    }
    RoundPlan rounds{{std::move(all)}, {}};
    for (SegmentList& list : lists) {
        std::ranges::move(list.take(), std::back_inserter(rounds.segments));
    }
    return rounds;
}

} // namespace

bool one_pass_places_all(model::Plan const& plan) {
    return plan.pass_count() == 1 &&
           std::ranges::all_of(plan.buckets, [](model::PlannedBucket const& bucket) {
               return bucket.placement.state == PlacementState::placed;
           });
}

std::span<int const> round_shares(std::uint64_t keys_per_gpu, RoundSort sort) {
    if (keys_per_gpu < keys_worth_rounds) {
        return one_round;
    }
    if (sort == RoundSort::counting) {
        return even_rounds;
    }
    return growing_rounds;
}

std::span<int const> round_shares(model::Plan const& plan, RoundSort sort) {
    std::span<int const> const shares = round_shares(plan.chunks.size(), sort);
    // A digit has two ranges more where a round or a GPU begins inside of it.
    constexpr std::size_t labels_max = std::size_t{1} << wide_step_bits;
    std::size_t const begins = plan.config.gpu_count * (shares.size() + 1);
    bool const fit = plan.layout.digit_count(1) + begins <= labels_max;
    return plan.pass_count() == 1 || fit ? shares : one_round;
}

std::vector<LocalSegment> RoundPlan::arrived(GpuId gpu, std::size_t round) const {
    std::vector<LocalSegment> those;
    for (SwapSegment const& segment : segments) {
        if (segment.gpu == gpu && segment.round == round) {
            those.push_back(segment.keys);
        }
    }
    return those;
}

RoundPlan swap_rounds(model::Plan const& plan, std::span<int const> shares, int bits_below_first) {
    if (has_cut_buckets(plan)) {
        return pairs(plan, bits_below_first);
    }
    std::uint32_t const gpus = plan.config.gpu_count;
    std::vector<SwapRound> rounds(shares.size(),
                                  SwapRound{std::vector<std::uint64_t>(std::size_t{gpus} * gpus),
                                            std::vector<std::uint64_t>(gpus),
                                            std::vector<std::uint64_t>(gpus),
                                            std::vector<std::uint32_t>(gpus)});
    SegmentList segments(bits_below_first);
    RoundEnds const ends = fill_rounds(plan, shares, rounds, segments);
    // A GPU may own the tolerance more than its chunk at either end.
    std::uint64_t const capacity = plan.chunks.size() + 2 * plan.tolerance;
    for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
        lay_out_chunk(rounds, ends, gpu, capacity - plan.chunks.of(GpuId{gpu}).size());
    }
    return {std::move(rounds), segments.take()};
}

std::uint64_t keys_of_round(SwapRound const& round, std::uint32_t gpu, std::uint32_t gpu_count) {
    std::uint64_t keys = 0;
    for (std::uint32_t source = 0; source < gpu_count; ++source) {
        keys += round.keys[std::size_t{source} * gpu_count + gpu];
    }
    return keys;
}

void count_segments(RoundPlan& rounds, model::KeySource& keys) {
    std::vector<LocalSegment> segments;
    for (SwapSegment& segment : rounds.segments) {
        segments.push_back(std::move(segment.keys));
    }
    count_children(segments, keys);
    for (std::size_t i = 0; i < segments.size(); ++i) {
        rounds.segments[i].keys = std::move(segments[i]);
    }
}

void halve_segments(RoundPlan& rounds) {
    std::vector<SwapSegment> halves;
    for (SwapSegment const& segment : rounds.segments) {
        LocalSegment const& keys = segment.keys;
        KEYSWAP_EXPECTS(keys.children.size() >= 2);
        auto const middle =
            keys.children.begin() + static_cast<std::ptrdiff_t>(keys.children.size() / 2);
        model::uint128 const begin =
            keys.images.lowest + (model::uint128{1} << static_cast<unsigned>(keys.end_bit - 1));
        SwapSegment low = segment;
        low.keys = {{keys.images.lowest, begin - 1},
                    std::accumulate(keys.children.begin(), middle, std::uint64_t{0}),
                    keys.end_bit - 1,
                    {keys.children.begin(), middle}};
        SwapSegment high = segment;
        high.keys = {{begin, keys.images.highest},
                     keys.count - std::min(keys.count, low.keys.count),
                     keys.end_bit - 1,
                     {middle, keys.children.end()}};
        for (SwapSegment& half : {std::ref(low), std::ref(high)}) {
            if (half.keys.count > 0) {
                halves.push_back(std::move(half));
            }
        }
    }
    rounds.segments = std::move(halves);
}

model::BucketHistogram scatter_labels(model::Plan const& plan, RoundPlan const& rounds) {
    std::uint32_t const gpus = plan.config.gpu_count;
    std::vector<std::vector<std::uint64_t>> rows(gpus);
    SwapSegment const* last = nullptr;
    for (SwapSegment const& segment : rounds.segments) {
        bool const is_cut = last != nullptr && last->keys.images == segment.keys.images;
        last = &segment;
        if (is_cut) {
            continue; // its keys stay together
        }
        // Of the segment's buckets: all of their keys, or the half's part of them.
        std::uint64_t whole = 0;
        for (std::size_t index = segment.first_bucket; index < segment.end_bucket; ++index) {
            PlacementRecord const& placement = plan.buckets[index].placement;
            whole += placement.end - placement.begin;
        }
        bool const is_half = plan.buckets[segment.first_bucket].placement.first ==
                                 plan.buckets[segment.first_bucket].placement.last &&
                             segment.keys.count < whole;
        double const part =
            is_half ? static_cast<double>(segment.keys.count) / static_cast<double>(whole) : 1.0;
        for (std::uint32_t source = 0; source < gpus; ++source) {
            std::uint64_t sent = 0;
            for (std::size_t index = segment.first_bucket; index < segment.end_bucket; ++index) {
                sent += part_size(plan, plan.buckets[index], GpuId{source});
            }
            rows[source].push_back(static_cast<std::uint64_t>(part * static_cast<double>(sent)));
        }
    }
    auto const labels = static_cast<std::uint32_t>(rows.front().size());
    model::BucketHistogram histogram({}, gpus, labels);
    for (std::uint32_t source = 0; source < gpus; ++source) {
        bool const is_same = source > 0 && rows[source] == rows[source - 1];
        histogram.assign_row(GpuId{source},
                             is_same ? histogram.row_of(GpuId{source - 1})
                                     : histogram.add_row(rows[source]));
    }
    return histogram;
}

} // namespace keyswap::simulator
