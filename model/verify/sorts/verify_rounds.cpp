/// \file Checks an exchange in rounds: the ends of rounds determine chunks and arrivals.

#include "model/replay/chunk_order.hpp"
#include "model/verify/record_text.hpp"
#include "model/verify/sorts/sort_checks.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace keyswap::model::verify {

namespace {

/// Keys that a GPU receives in one round: adjacent whole buckets of its range.
struct RoundRange {
    std::uint64_t begin = 0; ///< offset in the GPU's range
    std::vector<PlannedBucket const*> buckets;
};

using RoundRanges = std::map<GpuId, std::map<int, RoundRange>>; ///< by destination, then round

Difference wrong_rounds(GpuId gpu) {
    return differ(Check::copies)
        .on(gpu)
        .implies("A bucket is sorted before all of its keys have come.");
}

/// Assigns a GPU's buckets to rounds by the number of keys that arrive in each.
std::optional<Difference> add_rounds(Plan const& plan,
                                     OwnershipRecord const& owner,
                                     std::map<int, std::uint64_t> const& arriving,
                                     RoundRanges& ranges) {
    auto const of_owner = [&owner](PlannedBucket const& bucket) {
        return bucket.placement.first == owner.gpu && bucket.placement.last == owner.gpu;
    };
    auto bucket = std::ranges::find_if(plan.buckets, of_owner);
    std::uint64_t at = 0;
    for (auto const& [round, count] : arriving) {
        RoundRange& range = ranges[owner.gpu][round];
        range.begin = at;
        std::uint64_t taken = 0;
        while (bucket != plan.buckets.end() && of_owner(*bucket) && taken < count) {
            taken += bucket->placement.end - bucket->placement.begin;
            range.buckets.push_back(&*bucket);
            ++bucket;
        }
        if (taken != count) {
            return wrong_rounds(owner.gpu)
                .expect("rounds that end where a bucket ends")
                .found(keys_text(count) + " in round " + std::to_string(round) +
                       ", where whole buckets have " + std::to_string(taken));
        }
        at += taken;
    }
    if (at != owner.count) {
        return wrong_rounds(owner.gpu)
            .expect(keys_text(owner.count) + " in all rounds")
            .found(std::to_string(at));
    }
    return std::nullopt;
}

std::uint64_t keys_from(Plan const& plan, RoundRange const& range, GpuId source) {
    std::uint64_t keys = 0;
    for (PlannedBucket const* const bucket : range.buckets) {
        keys += part_size(plan, *bucket, source);
    }
    return keys;
}

/// Generates the copies of one source's chunk in memory order.
class ChunkCopies {
  public:
    /// \param begin offset of the chunk in its source's memory
    ChunkCopies(Plan const& plan, RoundRanges& ranges, GpuId source, std::uint64_t begin)
        : plan_(plan), ranges_(ranges), source_(source), at_(begin) {}

    void add(int round, GpuId destination) {
        RoundRange const& range = ranges_[destination][round];
        std::uint64_t const count = keys_from(plan_, range, source_);
        if (count == 0) {
            return;
        }
        std::uint64_t arrives = range.begin;
        for (GpuId before{0}; before < source_; ++before.value) {
            arrives += keys_from(plan_, range, before);
        }
        copies_.push_back({source_, at_, destination, arrives, count, round});
        at_ += count;
    }
    [[nodiscard]] std::vector<CopyRecord> const& copies() const { return copies_; }

  private:
    Plan const& plan_;
    RoundRanges& ranges_;
    GpuId source_;
    std::uint64_t at_;
    std::vector<CopyRecord> copies_;
};

/// Generates the copies of all rounds. The run may choose the position of own parts between rounds,
/// since they are not sent.
/// \param begins offset of each GPU's chunk
std::vector<CopyRecord> copies_of(std::vector<CopyRecord> const& recorded,
                                  Plan const& plan,
                                  RoundRanges& ranges,
                                  std::set<int> const& rounds,
                                  std::map<GpuId, std::uint64_t> begins) {
    std::uint32_t const gpus = plan.config.gpu_count;
    std::vector<CopyRecord> copies;
    for (GpuId source{0}; source.value < gpus; ++source.value) {
        std::vector<std::pair<OwnPartPosition, int>> own; ///< own part, round
        own.reserve(rounds.size());
        for (int const round : rounds) {
            own.emplace_back(place_of_own_part(recorded, source, round), round);
        }
        std::ranges::sort(own);
        ChunkCopies chunk(plan, ranges, source, begins[source]);
        auto const add_own = [&](std::optional<int> round_before) {
            for (auto const& [place, round] : own) {
                if (place.round_before == round_before) {
                    chunk.add(round, source);
                }
            }
        };
        add_own(std::nullopt);
        for (int const round : rounds) {
            for (std::uint32_t turn = 1; turn < gpus; ++turn) {
                chunk.add(round, GpuId{(source.value + turn) % gpus});
            }
            add_own(round);
        }
        copies.insert(copies.end(), chunk.copies().begin(), chunk.copies().end());
    }
    return copies;
}

} // namespace

void verify_rounds(std::vector<CopyRecord> const& recorded, Plan const& plan, Report& report) {
    std::map<GpuId, std::map<int, std::uint64_t>> arriving;
    std::map<GpuId, std::uint64_t> chunk_begins;
    std::set<int> rounds;
    for (CopyRecord const& copy : recorded) {
        arriving[copy.destination][copy.stage] += copy.count;
        rounds.insert(copy.stage);
        auto const [begin, is_first] = chunk_begins.emplace(copy.source, copy.source_offset);
        if (!is_first) {
            begin->second = std::min(begin->second, copy.source_offset);
        }
    }
    RoundRanges ranges;
    bool divided = true;
    for (OwnershipRecord const& owner : plan.ownership) {
        if (auto difference = add_rounds(plan, owner, arriving[owner.gpu], ranges)) {
            report.add(std::move(*difference));
            divided = false;
        }
    }
    if (!divided) {
        return; // the rounds are wrong, so the positions of keys are unknown
    }
    std::vector<CopyRecord> expected =
        copies_of(recorded, plan, ranges, rounds, std::move(chunk_begins));
    std::ranges::sort(expected, precedes);
    compare_copies(expected, recorded, plan, report);
}

} // namespace keyswap::model::verify
