/// \file Faults in digests.

#include "model/verify/expected/input_keys.hpp"
#include "proptests/faults/trace_fault_kinds.hpp"

#include <utility>

namespace keyswap::proptests {

namespace {

using model::verify::RecordedRun;

auto with_keys(DigestStage stage) {
    return [stage](DigestRecord const& record) {
        return record.stage == stage && record.digest.count > 0;
    };
}

bool differ_in_one_stage(DigestRecord const& one, DigestRecord const& other) {
    return one.stage == other.stage && one.digest != other.digest;
}

bool stale_digest(RecordedRun& run, std::uint64_t choice) {
    auto const two =
        pick_two(run.digests, choice, with_keys(DigestStage::after_swap), differ_in_one_stage);
    if (two) {
        two->first->digest = two->second->digest;
    }
    return two.has_value();
}

/// Increments one key of a bucket and decrements another: count and sum are unchanged.
bool keys_replaced_by_others_of_the_same_sum(RecordedRun& run, std::uint64_t choice) {
    DigestRecord* const record = pick(run.digests, choice, [](DigestRecord const& candidate) {
        return candidate.stage == DigestStage::after_swap && candidate.digest.count >= 2;
    });
    auto const input = model::verify::find_input(run.header);
    if (record == nullptr || !input || run.header.value_type != ValueType::none) {
        return false;
    }
    std::vector<std::uint64_t> keys(input->input->key_count());
    input->input->images(0, keys);
    std::uint64_t const a = keys[choice % keys.size()];
    std::uint64_t const b = keys[choice / 3 % keys.size()];
    MultisetDigest const old_a = digest_of(a);
    MultisetDigest const old_b = digest_of(b);
    MultisetDigest const new_a = digest_of(a + 1);
    MultisetDigest const new_b = digest_of(b - 1);
    record->digest.low += new_a.low + new_b.low - old_a.low - old_b.low;
    record->digest.high += new_a.high + new_b.high - old_a.high - old_b.high;
    return a + 1 != b; // otherwise the keys are only swapped
}

bool key_lost_in_the_swap(RecordedRun& run, std::uint64_t choice) {
    return change_one(run.digests,
                      choice,
                      with_keys(DigestStage::after_swap),
                      [](DigestRecord& record) { record.digest.count -= 1; });
}

bool digests_of_two_buckets_swapped(RecordedRun& run, std::uint64_t choice) {
    auto const two =
        pick_two(run.digests, choice, with_keys(DigestStage::before_swap), differ_in_one_stage);
    if (two) {
        std::swap(two->first->digest, two->second->digest);
    }
    return two.has_value();
}

bool bucket_twice_after_the_swap(RecordedRun& run, std::uint64_t choice) {
    DigestRecord const* const record =
        pick(run.digests, choice, with_keys(DigestStage::after_swap));
    if (record == nullptr || run.gpu_count() < 2) {
        return false;
    }
    DigestRecord copy = *record;
    copy.gpu.value = (copy.gpu.value + 1) % run.gpu_count();
    run.digests.push_back(copy);
    return true;
}

bool key_changed_by_the_sort(RecordedRun& run, std::uint64_t choice) {
    return change_one(run.digests,
                      choice,
                      with_keys(DigestStage::after_sort),
                      [](DigestRecord& record) { record.digest.high += 1; });
}

} // namespace

std::vector<TraceFault> digest_faults() {
    using enum model::verify::Verdict;
    return {
        {"digest: scatter to another bucket",
         "two buckets' keys change places before the swap",
         {wrong_execution},
         digests_of_two_buckets_swapped},
        {"digest: stale memory",
         "a bucket holds what another left behind",
         {lost_or_duplicated_keys},
         stale_digest},
        {"digest: other keys of the same sum",
         "count and sum agree, the keys do not",
         {lost_or_duplicated_keys},
         keys_replaced_by_others_of_the_same_sum},
        {"digest: key lost",
         "a bucket is one key short after the swap",
         {lost_or_duplicated_keys},
         key_lost_in_the_swap},
        {"digest: bucket twice",
         "a bucket lies on two GPUs",
         {lost_or_duplicated_keys},
         bucket_twice_after_the_swap},
        {"digest: changed by the sort",
         "a key changes while it is sorted",
         {lost_or_duplicated_keys},
         key_changed_by_the_sort},
    };
}

} // namespace keyswap::proptests
