/// \file Checks records of an external sort. Memory and its consequences are always checked; the
/// choice of ranges and the digests only if the input files are available.

#include "model/verify/expected/record_input.hpp"
#include "model/verify/operations/verify_operation.hpp"
#include "model/verify/record_text.hpp"
#include "traces/errors/hex_text.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace keyswap::model::verify {

namespace {

std::string number_text(std::uint64_t id) {
    return "range " + std::to_string(id);
}

std::string interval_text(ImageInterval images) {
    auto const text = [](uint128 image) {
        auto const [high, low] = key_image(image);
        return "0x" + (high == 0 ? hex_text(low) : hex_text(high) + hex_text(low, 16));
    };
    return "images " + text(images.lowest) + " to " + text(images.highest);
}

std::string memory_text(ExternalSortRecord const& record) {
    return std::to_string(record.record_bytes) + "-byte records with keys of " +
           std::to_string(record.key_bytes) + " bytes at " + std::to_string(record.key_offset) +
           ", of " + std::to_string(record.memory_bytes) + " bytes " +
           std::to_string(record.reserve_bytes) + " in reserve, blocks of " +
           std::to_string(record.block_bytes) + ", at most " + std::to_string(record.ranges_max) +
           " ranges, of at most " + std::to_string(record.records_max) + " records" +
           (record.gpu_records_max
                ? ", room for " + std::to_string(*record.gpu_records_max) + " on the GPUs"
                : "");
}

std::string division_text(RangeDivisionRecord const& record) {
    return std::to_string(record.draws) + " draws by seed " + std::to_string(record.seed) + ", " +
           std::to_string(record.planned_records) + " records planned a range, buffers of " +
           std::to_string(record.buffer_bytes) + " bytes, a sample of " +
           sequence_text(record.sample);
}

/// Layout according to header and record; nullopt if no sort can have both.
std::optional<RecordLayout> layout_of(RunHeader const& header, ExternalSortRecord const& record) {
    auto const keys = layout_of_keys(header.key_type, header.direction);
    auto const wanted = RecordLayout{record.record_bytes,
                                     record.key_offset,
                                     record.key_bytes,
                                     header.key_type,
                                     header.direction};
    if (wanted == keys) {
        return keys;
    }
    auto const parsed = parse_record_layout(
        record.record_bytes,
        std::to_string(record.key_offset) + ":" + std::to_string(record.key_bytes),
        header.direction,
        keys.is_bytes() ? std::nullopt : std::optional(header.key_type));
    return parsed ? std::optional(*parsed) : std::nullopt;
}

bool is_streamed(RunHeader const& header) {
    return header.parameters.contains(std::string(streamed_parameter));
}

class ExternalVerifier {
  public:
    ExternalVerifier(RecordedRun const& run,
                     RecordLayout const& layout,
                     ExternalMemory const& memory,
                     Report& report)
        : run_(run), layout_(layout), memory_(memory), report_(report) {}

    /// Compares the records with each other. \return true if every record has its place
    bool verify_structure() {
        for (Check const check :
             {Check::key_ranges, Check::runs, Check::placements, Check::digests_after_sort}) {
            report_.mark_checked(check);
        }
        index();
        if (!ranges_.contains(0)) {
            report_.add(
                lacks(Check::key_ranges).expect("range 0, the whole input").found("no such range"));
            return false;
        }
        walk();
        for (auto const& [id, range] : ranges_) {
            if (!reached_[id]) {
                differ(Check::key_ranges, id)
                    .expect("a range that a division produced")
                    .found("one that no division produced")
                    .implies("Whose records it holds is unclear.");
            }
        }
        for (auto const& [id, division] : divisions_) {
            if (!reached_[id]) {
                differ(Check::key_ranges, id)
                    .expect("no division, as there is no such range")
                    .found("one")
                    .implies("What was divided is unclear.");
            }
        }
        verify_sum();
        return report_.differences.empty();
    }

    /// Compares the records with the model's plan for the input.
    void compare(ExternalRecords const& expected) {
        for (RangeDivisionRecord const& division : expected.divisions) {
            auto const found = divisions_.find(division.range);
            if (found == divisions_.end() || *found->second != division) {
                differ(Check::key_ranges, division.range)
                    .expect(division_text(division))
                    .found(found == divisions_.end() ? "no division"
                                                     : division_text(*found->second))
                    .implies("The ranges are not those of this sample.");
            }
        }
        for (KeyRangeRecord const& range : expected.ranges) {
            if (auto const found = ranges_.find(range.id); found != ranges_.end()) {
                compare_range(range, *found->second);
            } else {
                differ(Check::key_ranges, range.id)
                    .expect(interval_text(images_of(range)))
                    .found("no such range")
                    .implies("Its records are missing.");
            }
        }
        if (ranges_.size() > expected.ranges.size()) {
            differ(Check::key_ranges, ranges_.rbegin()->first)
                .expect(std::to_string(expected.ranges.size()) + " ranges")
                .found(std::to_string(ranges_.size()))
                .implies("The ranges are not those of this sample.");
        }
    }

  private:
    Difference& differ(Check check, std::uint64_t id) {
        Verdict const verdict = check == Check::key_ranges ? Verdict::wrong_plan
                                : check == Check::digests_after_sort
                                    ? Verdict::lost_or_duplicated_keys
                                    : Verdict::wrong_execution;
        return report_.differ(check, verdict).at(number_text(id));
    }

    void index() {
        for (KeyRangeRecord const& range : run_.key_ranges) {
            if (!ranges_.emplace(range.id, &range).second) {
                differ(Check::key_ranges, range.id)
                    .expect("one record of the range")
                    .found("another")
                    .implies("It is unclear which one is right.");
            }
            if (range.parent) {
                children_[*range.parent].push_back(&range);
            }
        }
        for (RangeDivisionRecord const& division : run_.range_divisions) {
            if (!divisions_.emplace(division.range, &division).second) {
                differ(Check::key_ranges, division.range)
                    .expect("one division of the range")
                    .found("another")
                    .implies("It is unclear which one is right.");
            }
        }
        for (auto& [id, children] : children_) {
            std::ranges::stable_sort(children, {}, &KeyRangeRecord::id);
        }
    }

    /// Visits all ranges in key order; the lowest oversized range is divided first.
    void walk() {
        KeyRangeRecord const& root = *ranges_.at(0);
        KeyRangeRecord const all = whole_input(layout_, run_.header.key_count);
        if (root.parent || images_of(root) != images_of(all) || root.count != all.count) {
            differ(Check::key_ranges, 0)
                .expect(std::to_string(all.count) + " records of " + interval_text(images_of(all)))
                .found(std::to_string(root.count) + " of " + interval_text(images_of(root)) +
                       (root.parent ? ", divided from another" : ""))
                .implies("Records are missing, or are of another input.");
        }
        std::vector<KeyRangeRecord const*> rest{&root};
        while (!rest.empty()) {
            KeyRangeRecord const& range = *rest.back();
            rest.pop_back();
            reached_[range.id] = true;
            bool const divided = divisions_.contains(range.id);
            if (divided != is_oversized(memory_, images_of(range), range.count)) {
                differ(Check::key_ranges, range.id)
                    .expect(divided ? "no division, as it fits memory"
                                    : "a division, as it does not fit")
                    .found((divided ? "one of " : "none of ") + keys_text(range.count))
                    .implies("The sort needs more memory than it was given, or moves records "
                             "unnecessarily.");
            }
            if (divided) {
                verify_division(range, rest);
            } else {
                verify_leaf(range);
            }
        }
    }

    /// \param rest ranges to verify; appends the children, so that the first one is next
    void verify_division(KeyRangeRecord const& range, std::vector<KeyRangeRecord const*>& rest) {
        verify_buffers(range);
        verify_not_in_output(range);
        verify_children(range);
        auto const& children = children_[range.id];
        for (std::size_t i = children.size(); i-- > 0;) {
            if (!reached_[children[i]->id]) {
                rest.push_back(children[i]);
            }
        }
    }

    /// Checks that sample, buffers and number of ranges are those of the memory given.
    void verify_buffers(KeyRangeRecord const& range) {
        auto const& children = children_[range.id];
        RangeDivisionRecord const& recorded = *divisions_.at(range.id);
        RangeDivisionRecord expected = division_record(layout_,
                                                       memory_,
                                                       range,
                                                       {recorded.seed, is_streamed(run_.header)},
                                                       {},
                                                       std::max<std::size_t>(children.size(), 1));
        expected.sample = recorded.sample;
        expected.sample.count = expected.draws;
        if (recorded != expected) {
            differ(Check::key_ranges, range.id)
                .expect(division_text(expected))
                .found(division_text(recorded))
                .implies("The buffers, or the sample, are not those of the memory given.");
        }
        if (children.size() > memory_.ranges_max) {
            differ(Check::key_ranges, range.id)
                .expect("at most " + std::to_string(memory_.ranges_max) + " ranges")
                .found(std::to_string(children.size()))
                .implies("The buffers of so many do not fit the memory given.");
        }
    }

    /// Checks that the children cover the range without gap or overlap and hold all its records.
    void verify_children(KeyRangeRecord const& range) {
        auto const& children = children_[range.id];
        uint128 next = images_of(range).lowest;
        MultisetDigest sum;
        std::uint64_t count = 0;
        bool contiguous = true;
        for (KeyRangeRecord const* const child : children) {
            if (child->id != next_id_ || reached_[child->id]) {
                differ(Check::key_ranges, child->id)
                    .expect(number_text(next_id_))
                    .found(number_text(child->id))
                    .implies("It is unclear which range is divided first.");
            }
            ++next_id_;
            auto const images = images_of(*child);
            contiguous = contiguous && images.lowest == next && !images.empty();
            next = images.highest + 1;
            sum += child->digest.value_or(MultisetDigest{});
            count += child->count;
        }
        if (!contiguous || children.empty() || next != images_of(range).highest + 1) {
            differ(Check::key_ranges, range.id)
                .expect("ranges that cover " + interval_text(images_of(range)) + ", ascending")
                .found("a gap, an overlap or another order")
                .implies("Keys belong to no range, or to several.");
        }
        bool const whole = range.digest.has_value() && *range.digest != sum;
        if (count != range.count || sum.count != count || whole) {
            differ(Check::runs, range.id)
                .expect(whole ? digest_text(*range.digest) : keys_text(range.count))
                .found(digest_text(sum) + " in its ranges")
                .implies("The partition lost, doubled or changed records.");
        }
    }

    void verify_leaf(KeyRangeRecord const& range) {
        if (range.count == 0) {
            if (range.digest.value_or(MultisetDigest{}) != MultisetDigest{} ||
                (range.digest && range.id == 0)) {
                differ(Check::runs, range.id)
                    .expect("no records")
                    .found("some")
                    .implies("A range has records of other ranges.");
            }
            verify_not_in_output(range);
            return;
        }
        if (!range.digest || range.digest->count != range.count) {
            differ(Check::runs, range.id)
                .expect("a digest of " + keys_text(range.count))
                .found(range.digest ? digest_text(*range.digest) : "none")
                .implies("Which records it holds is unclear.");
        }
        if (range.place != place_) {
            differ(Check::placements, range.id)
                .expect("place " + std::to_string(place_) + " of the output")
                .found(range.place ? "place " + std::to_string(*range.place) : "none")
                .implies("Records overlap, or are in the wrong place.");
        }
        if (range.output != range.digest) {
            differ(Check::digests_after_sort, range.id)
                .expect(range.digest ? digest_text(*range.digest) : "no digest")
                .found(range.output ? digest_text(*range.output) : "none")
                .implies("What was written is not what was partitioned.");
        }
        place_ += range.count;
        sum_ += range.digest.value_or(MultisetDigest{});
    }

    void verify_not_in_output(KeyRangeRecord const& range) {
        if (range.place || range.output) {
            differ(Check::placements, range.id)
                .expect("no place, as it is divided or empty")
                .found("a place or a digest of what was written")
                .implies("Its records are written twice.");
        }
    }

    void verify_sum() {
        auto const& content = run_.header.input.content;
        if (!content) {
            report_.add(lacks(Check::input).expect("a digest of the input").found("none"));
        } else if (*content != sum_) {
            report_.differ(Check::input, Verdict::lost_or_duplicated_keys)
                .expect(digest_text(*content) + " in all ranges")
                .found(digest_text(sum_))
                .implies("The output does not hold the input's records.");
        }
    }

    void compare_range(KeyRangeRecord const& expected, KeyRangeRecord const& recorded) {
        if (recorded == expected) {
            return;
        }
        if (images_of(recorded) != images_of(expected) || recorded.parent != expected.parent) {
            differ(Check::key_ranges, expected.id)
                .expect(interval_text(images_of(expected)))
                .found(interval_text(images_of(recorded)))
                .implies("The ranges are not those of the sample.");
        } else if (recorded.count != expected.count || recorded.digest != expected.digest) {
            differ(Check::runs, expected.id)
                .expect(digest_text(expected.digest.value_or(MultisetDigest{expected.count, 0, 0})))
                .found(digest_text(recorded.digest.value_or(MultisetDigest{recorded.count, 0, 0})))
                .implies("The partition lost, doubled or changed records.");
        } else {
            differ(Check::placements, expected.id)
                .expect(expected.place ? "place " + std::to_string(*expected.place) : "no place")
                .found(recorded.place ? "place " + std::to_string(*recorded.place) : "none")
                .implies("Its records are not where they belong.");
        }
    }

    RecordedRun const& run_;
    RecordLayout layout_;
    ExternalMemory memory_;
    Report& report_;
    std::map<std::uint64_t, KeyRangeRecord const*> ranges_;                ///< by id
    std::map<std::uint64_t, RangeDivisionRecord const*> divisions_;        ///< by range
    std::map<std::uint64_t, std::vector<KeyRangeRecord const*>> children_; ///< by range
    std::map<std::uint64_t, bool> reached_; ///< the input, and ranges that a division created
    std::uint64_t next_id_ = 1;
    std::uint64_t place_ = 0;
    MultisetDigest sum_;
};

/// The record of the memory if it follows from layout and budget; otherwise reports it.
std::optional<std::pair<RecordLayout, ExternalMemory>> verified_memory(RecordedRun const& run,
                                                                       Report& report) {
    report.mark_checked(Check::memory);
    if (run.external_sorts.size() != 1) {
        report.add(lacks(Check::memory)
                       .expect("one record of the memory")
                       .found(run.external_sorts.empty()
                                  ? "none"
                                  : std::to_string(run.external_sorts.size())));
        return std::nullopt;
    }
    ExternalSortRecord const& record = run.external_sorts.front();
    auto const layout = layout_of(run.header, record);
    if (!layout) {
        report.differ(Check::memory)
            .expect("records whose keys are " + std::string(to_string(run.header.key_type)))
            .found(memory_text(record))
            .implies("What was sorted is unknown.");
        return std::nullopt;
    }
    auto const memory = divide_memory(*layout, record.memory_bytes, record.gpu_records_max);
    if (!memory) {
        report.differ(Check::memory)
            .expect("enough memory for a sort")
            .found(memory_text(record))
            .implies("No sort can run with so little.");
        return std::nullopt;
    }
    ExternalSortRecord const expected = external_sort_record(*layout, *memory);
    if (record != expected) {
        report.differ(Check::memory)
            .expect(memory_text(expected))
            .found(memory_text(record))
            .implies("The memory given is exceeded, or not used.");
    }
    return std::pair(*layout, *memory);
}

void verify_shape(RunHeader const& header, Report& report) {
    if (header.value_type != ValueType::none || header.stability != Stability::stable ||
        header.zero_order != ZeroOrder::total) {
        report.differ(Check::input)
            .expect("a stable sort without values, in total order")
            .found("another")
            .implies("The header is of another operation.");
    }
    if (is_streamed(header) && header.parameters.at(std::string(streamed_parameter)) != 1) {
        report.differ(Check::input)
            .expect("1 as the parameter streamed, or none")
            .found("another number")
            .implies("How the sample was drawn is unclear.");
    }
}

} // namespace

Expected<void>
verify_external_sort(RecordedRun const& run, VerifyLimits const& limits, Report& report) {
    verify_shape(run.header, report);
    auto const memory = verified_memory(run, report);
    if (!memory) {
        return {};
    }
    auto const& [layout, division] = *memory;
    ExternalVerifier verifier(run, layout, division, report);
    bool const sound = verifier.verify_structure();
    KEYSWAP_TRY(auto const input, find_records(run.header, layout, limits));
    if (!input.input) {
        report.skip(Check::input, input.reason);
        report.skip(Check::key_ranges,
                    "without the records no sample can be drawn: ranges were compared with each "
                    "other");
        return {};
    }
    report.mark_checked(Check::input);
    if (!sound) {
        return {}; // the differences found suffice; others would follow from them
    }
    std::uint64_t const seed =
        run.range_divisions.empty() ? external_sample_seed : run.range_divisions.front().seed;
    KEYSWAP_TRY(auto const expected,
                record_external_sort(layout,
                                     division,
                                     {seed, is_streamed(run.header)},
                                     run.header.key_count,
                                     *input.input,
                                     run.range_divisions.size() + 1));
    verifier.compare(expected);
    return {};
}

} // namespace keyswap::model::verify
