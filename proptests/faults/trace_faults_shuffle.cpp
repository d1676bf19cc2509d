/// \file Faults in the exchange of a shuffle.

#include "proptests/faults/trace_fault_kinds.hpp"

#include "model/partition/shuffle.hpp"

#include <string>
#include <utility>

namespace keyswap::proptests {

namespace {

using model::verify::RecordedRun;

bool has_arrived(DigestRecord const& record) {
    return record.stage == DigestStage::after_swap;
}

GpuId next_gpu(RecordedRun const& run, GpuId gpu) {
    return GpuId{(gpu.value + 1) % run.gpu_count()};
}

bool copy_to_the_next_gpu(RecordedRun& run, std::uint64_t choice) {
    return run.gpu_count() > 1 &&
           change_one(run.copies, choice, any<CopyRecord>, [&run](CopyRecord& copy) {
               copy.destination = next_gpu(run, copy.destination);
           });
}

bool copy_is_short(RecordedRun& run, std::uint64_t choice) {
    return change_one(
        run.copies, choice, any<CopyRecord>, [](CopyRecord& copy) { copy.count -= 1; });
}

bool copy_not_made(RecordedRun& run, std::uint64_t choice) {
    return drop_one(run.copies, choice);
}

bool copy_made_twice(RecordedRun& run, std::uint64_t choice) {
    CopyRecord const* const copy = pick(run.copies, choice, any<CopyRecord>);
    if (copy == nullptr) {
        return false;
    }
    run.copies.push_back(*copy);
    return true;
}

/// Two pieces of a bucket arrive in the wrong order, which breaks stability.
bool pieces_exchanged(RecordedRun& run, std::uint64_t choice) {
    auto const two = pick_two(
        run.copies, choice, any<CopyRecord>, [](CopyRecord const& one, CopyRecord const& other) {
            return one.source != other.source && one.destination == other.destination &&
                   one.destination_offset + one.count == other.destination_offset;
        });
    if (!two) {
        return false;
    }
    two->second->destination_offset = two->first->destination_offset;
    two->first->destination_offset += two->second->count;
    return true;
}

bool bucket_of_the_next_gpu(RecordedRun& run, std::uint64_t choice) {
    return run.gpu_count() > 1 &&
           change_one(
               run.placements, choice, any<PlacementRecord>, [&run](PlacementRecord& placement) {
                   placement.first = placement.last = next_gpu(run, placement.first);
               });
}

bool bucket_of_no_number(RecordedRun& run, std::uint64_t choice) {
    return change_one(
        run.placements, choice, any<PlacementRecord>, [&run](PlacementRecord& placement) {
            placement.bucket.prefix = run.functions.front().function.buckets;
        });
}

bool bucket_cut(RecordedRun& run, std::uint64_t choice) {
    return change_one(run.placements, choice, any<PlacementRecord>, [](auto& placement) {
        placement.state = PlacementState::cut;
    });
}

bool placement_lost(RecordedRun& run, std::uint64_t choice) {
    return drop_one(run.placements, choice);
}

bool ownership_shifted(RecordedRun& run, std::uint64_t choice) {
    return change_one(
        run.ownership,
        choice,
        [](OwnershipRecord const& owner) { return owner.count > 0; },
        [](OwnershipRecord& owner) { owner.base += 1; });
}

bool arrival_of_other_keys(RecordedRun& run, std::uint64_t choice) {
    return change_one(
        run.digests, choice, has_arrived, [](DigestRecord& record) { record.digest.low += 1; });
}

bool arrival_on_the_next_gpu(RecordedRun& run, std::uint64_t choice) {
    return run.gpu_count() > 1 &&
           change_one(run.digests, choice, has_arrived, [&run](DigestRecord& record) {
               record.gpu = next_gpu(run, record.gpu);
           });
}

bool other_layout(RecordedRun& run, std::uint64_t choice) {
    run.header.layout = choice % 2 == 0 ? SwapLayout::by_source : SwapLayout::by_round;
    return true;
}

bool owners_of_no_rule(RecordedRun& run, std::uint64_t /*choice*/) {
    run.header.parameters[std::string(model::given_owners_parameter)] = 2;
    return true;
}

bool no_layout(RecordedRun& run, std::uint64_t /*choice*/) {
    run.header.layout.reset();
    run.header.parameters.clear();
    return !run.copies.empty();
}

} // namespace

std::vector<TraceFault> shuffle_faults() {
    using enum model::verify::Verdict;
    return {
        {"shuffle: copy to another GPU",
         "a piece of a bucket is sent to the GPU after its owner",
         {lost_or_duplicated_keys},
         copy_to_the_next_gpu},
        {"shuffle: short copy",
         "a copy leaves its last key behind",
         {lost_or_duplicated_keys},
         copy_is_short},
        {"shuffle: copy left out",
         "a piece of a bucket is not sent",
         {lost_or_duplicated_keys},
         copy_not_made},
        {"shuffle: copy doubled",
         "a piece of a bucket is sent twice",
         {lost_or_duplicated_keys},
         copy_made_twice},
        {"shuffle: pieces exchanged",
         "two pieces of a bucket lie in the other order",
         {lost_or_duplicated_keys},
         pieces_exchanged},
        {"shuffle: other owner",
         "a bucket is said to belong to the next GPU",
         {wrong_plan, lost_or_duplicated_keys},
         bucket_of_the_next_gpu},
        {"shuffle: bucket of no number",
         "a bucket has the number after the last",
         {wrong_plan, lost_or_duplicated_keys},
         bucket_of_no_number},
        {"shuffle: bucket cut", "a bucket is said to be cut", {wrong_plan}, bucket_cut},
        {"shuffle: placement lost",
         "nobody says where a bucket goes",
         {wrong_plan, lost_or_duplicated_keys},
         placement_lost},
        {"shuffle: ownership shifted",
         "a GPU's keys begin one further on in the output",
         {wrong_plan},
         ownership_shifted},
        {"shuffle: other keys arrive",
         "a bucket holds another key on its owner",
         {wrong_execution},
         arrival_of_other_keys},
        {"shuffle: arrival elsewhere",
         "a bucket is found on the GPU after its owner",
         {wrong_execution},
         arrival_on_the_next_gpu},
        {"shuffle: other layout",
         "the header declares a layout of sorts",
         {wrong_plan},
         other_layout},
        {"shuffle: owners of no rule",
         "owners are neither the default ones nor given",
         {wrong_plan},
         owners_of_no_rule,
         true},
        {"shuffle: layout lost",
         "the header declares no exchange, and there is one",
         {wrong_plan},
         no_layout},
    };
}

} // namespace keyswap::proptests
