/// \file Checks the multiset of keys in every bucket of one step on one GPU.

#include "model/verify/partition/partition_parts.hpp"
#include "model/verify/record_text.hpp"

#include <algorithm>

namespace keyswap::model::verify {

void verify_part_digests(StepPart const& part, KnownPart const& known, bool any_digest) {
    bool const unstable = std::ranges::any_of(part.records.partitions, [](auto const* record) {
        return record->stability == Stability::unstable;
    });
    if (!any_digest) {
        if (unstable && known.keys > 0) {
            part.report.skip(Check::digests_after_step,
                             "an unstable partition without digests of its buckets");
        }
        return;
    }
    part.report.mark_checked(Check::digests_after_step);
    MultisetDigest const sum = part.records.content();
    if (known.content && sum != *known.content) {
        part.report.differ(Check::digests_after_step, Verdict::lost_or_duplicated_keys)
            .at(step_text(part.step, ""))
            .on(part.gpu)
            .expect(digest_text(*known.content))
            .found(digest_text(sum))
            .implies("The partition loses, doubles or changes keys.");
    }
    for (std::uint64_t bucket = 0; bucket < known.counts.size(); ++bucket) {
        auto const found = part.records.digests.find(bucket);
        MultisetDigest const recorded =
            found == part.records.digests.end() ? MultisetDigest{} : found->second->digest;
        bool const right = known.expected ? recorded == known.expected->digests[bucket]
                                          : recorded.count == known.counts[bucket];
        if (!right) {
            part.report.differ(Check::digests_after_step, Verdict::wrong_execution)
                .at(step_text(part.step, ""))
                .on(part.gpu)
                .in(step_bucket(bucket))
                .expect(known.expected ? digest_text(known.expected->digests[bucket])
                                       : keys_text(known.counts[bucket]))
                .found(digest_text(recorded))
                .implies("The bucket holds keys of other buckets, or lacks its own.");
        }
    }
}

} // namespace keyswap::model::verify
