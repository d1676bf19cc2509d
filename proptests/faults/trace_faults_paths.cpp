/// \file Faults of searches for shortest paths.

#include "proptests/faults/trace_fault_kinds.hpp"

#include <algorithm>
#include <utility>

namespace keyswap::proptests {

namespace {

using model::verify::RecordedRun;

bool changed_round(RecordedRun& run, std::uint64_t choice, void (*change)(RelaxationRecord&)) {
    return change_one(run.relaxations, choice, any<RelaxationRecord>, change);
}

bool stale_not_dropped(RecordedRun& run, std::uint64_t choice) {
    return changed_round(run, choice, [](RelaxationRecord& round) {
        round.pending += 1;
        round.counts.back() += 1;
    });
}

bool frontier_too_large(RecordedRun& run, std::uint64_t choice) {
    return changed_round(run, choice, [](RelaxationRecord& round) { round.frontier += 1; });
}

bool improvement_lost(RecordedRun& run, std::uint64_t choice) {
    return change_one(
        run.relaxations,
        choice,
        [](RelaxationRecord const& round) { return round.improved > 0; },
        [](RelaxationRecord& round) { round.improved -= 1; });
}

bool lower_is_off(RecordedRun& run, std::uint64_t choice) {
    return changed_round(run, choice, [](RelaxationRecord& round) { round.lower += 1; });
}

bool split_skips(RecordedRun& run, std::uint64_t choice) {
    return changed_round(run, choice, [](RelaxationRecord& round) { round.split += 7; });
}

bool vertex_in_another_bucket(RecordedRun& run, std::uint64_t choice) {
    return changed_round(run, choice, [](RelaxationRecord& round) {
        auto const from = std::ranges::find_if(round.counts, [](auto count) { return count > 0; });
        *from -= 1;
        (from == round.counts.begin() ? round.counts.back() : round.counts.front()) += 1;
    });
}

bool bucket_counted_twice(RecordedRun& run, std::uint64_t choice) {
    return changed_round(run, choice, [](RelaxationRecord& round) { round.counts.front() += 1; });
}

bool round_lost(RecordedRun& run, std::uint64_t choice) {
    return drop_one(run.relaxations, choice);
}

bool rounds_exchanged(RecordedRun& run, std::uint64_t choice) {
    auto const two =
        pick_two(run.relaxations,
                 choice,
                 any<RelaxationRecord>,
                 [](RelaxationRecord const& one, RelaxationRecord const& other) {
                     return one.round != other.round &&
                            (one.pending != other.pending || one.improved != other.improved);
                 });
    if (!two) {
        return false;
    }
    std::swap(two->first->round, two->second->round);
    return true;
}

bool stops_too_early(RecordedRun& run, std::uint64_t /*choice*/) {
    if (run.relaxations.size() < 2) {
        return false;
    }
    auto const distances = run.relaxations.back().distances;
    run.relaxations.pop_back();
    run.relaxations.back().distances = distances;
    return true;
}

bool distance_too_long(RecordedRun& run, std::uint64_t /*choice*/) {
    run.relaxations.back().distances->low ^= 1;
    return true;
}

bool distances_lost(RecordedRun& run, std::uint64_t /*choice*/) {
    run.relaxations.back().distances.reset();
    return true;
}

bool distances_of_fewer_vertices(RecordedRun& run, std::uint64_t /*choice*/) {
    run.relaxations.back().distances->count -= 1;
    return true;
}

bool distances_too_early(RecordedRun& run, std::uint64_t choice) {
    auto const distances = run.relaxations.back().distances;
    return change_one(
        run.relaxations,
        choice,
        [](RelaxationRecord const& round) { return !round.distances; },
        [&distances](RelaxationRecord& round) { round.distances = distances; });
}

} // namespace

std::vector<TraceFault> path_faults() {
    using enum model::verify::Verdict;
    return {
        {"round: stale entry",
         "a vertex waits though it was relaxed",
         {wrong_execution},
         stale_not_dropped},
        {"round: frontier too large",
         "a vertex of another bucket is relaxed",
         {wrong_execution},
         frontier_too_large},
        {"round: improvement lost",
         "a vertex becomes nearer and is forgotten",
         {wrong_execution},
         improvement_lost},
        {"round: lower off", "the first bucket begins one later", {wrong_execution}, lower_is_off},
        {"round: split skips",
         "the splitting distance is too large",
         {wrong_execution},
         split_skips},
        {"round: another bucket",
         "a vertex is sorted into another bucket",
         {wrong_execution},
         vertex_in_another_bucket},
        {"round: counted twice",
         "a bucket counts a vertex that does not wait",
         {wrong_execution},
         bucket_counted_twice,
         true},
        {"round: lost",
         "a round is not recorded",
         {incomplete_trace, wrong_execution},
         round_lost,
         true},
        {"round: exchanged",
         "two rounds happen in each other's place",
         {wrong_execution},
         rounds_exchanged},
        {"search: stops too early",
         "the last vertices are never relaxed",
         {wrong_execution},
         stops_too_early},
        {"search: distance too long",
         "a vertex keeps a distance that is too long",
         {wrong_execution},
         distance_too_long},
        {"search: distances lost",
         "the distances are not recorded",
         {incomplete_trace},
         distances_lost,
         true},
        {"search: distances of fewer vertices",
         "the last vertex has no distance",
         {wrong_execution},
         distances_of_fewer_vertices,
         true},
        {"search: distances too early",
         "distances are those of a round before the last",
         {wrong_plan},
         distances_too_early,
         true},
    };
}

} // namespace keyswap::proptests
