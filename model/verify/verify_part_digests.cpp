/// \file Which keys every bucket of one step on one GPU holds.

#include "model/verify/partition_parts.hpp"
#include "model/verify/verify_parts.hpp"

#include <algorithm>

namespace keyswap::conformance {

void verify_part_digests(StepPart const& part, KnownPart const& known, bool any_digest) {
    bool const unstable = std::ranges::any_of(part.records.partitions, [](auto const* record) {
        return record->stability == Stability::unstable;
    });
    if (!any_digest) {
        if (unstable && known.keys > 0) {
            part.findings.not_checked(Check::digests_after_step,
                                      "an unstable partition without digests of its buckets");
        }
        return;
    }
    mark_checked(part.findings.report(), Check::digests_after_step);
    MultisetDigest sum;
    for (auto const& [bucket, digest] : part.records.digests) {
        sum += digest->digest;
    }
    if (known.content && sum != *known.content) {
        part.findings.add(Verdict::lost_or_doubled_keys,
                          Check::digests_after_step,
                          step_text(part.step, ""),
                          digest_text(*known.content),
                          digest_text(sum),
                          "The partition loses, doubles or changes keys.",
                          part.gpu);
    }
    std::uint64_t buckets = known.counts.size();
    for (std::uint64_t bucket = 0; bucket < buckets; ++bucket) {
        auto const found = part.records.digests.find(bucket);
        MultisetDigest const recorded =
            found == part.records.digests.end() ? MultisetDigest{} : found->second->digest;
        bool const right = known.expected ? recorded == known.expected->digests[bucket]
                                          : recorded.count == known.counts[bucket];
        if (!right) {
            part.findings.add(Verdict::wrong_execution,
                              Check::digests_after_step,
                              step_text(part.step, ""),
                              known.expected ? digest_text(known.expected->digests[bucket])
                                             : keys_text(known.counts[bucket]),
                              digest_text(recorded),
                              "The bucket holds keys of others, or lacks its own.",
                              part.gpu,
                              bucket);
        }
    }
}

} // namespace keyswap::conformance
