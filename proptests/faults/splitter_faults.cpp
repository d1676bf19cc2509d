#include "proptests/faults/splitter_faults.hpp"

#include "model/partition/bucket_rule.hpp"
#include "model/sorts/algorithm.hpp"
#include "model/verify/expected/expected_run.hpp"
#include "model/verify/expected/input_keys.hpp"
#include "proptests/faults/trace_fault_kinds.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace keyswap::proptests {

namespace {

using model::verify::RecordedRun;

SplitterBuckets* splitters_of(BucketFunctionRecord& record) {
    return std::get_if<SplitterBuckets>(&record.function.rule);
}

bool has_splitters(BucketFunctionRecord const& record) {
    return std::holds_alternative<SplitterBuckets>(record.function.rule);
}

/// Changes the splitters of one function.
/// \param change returns false if the splitters have no place for it
bool change_splitters(RecordedRun& run,
                      std::uint64_t choice,
                      std::function<bool(BucketFunctionRecord&, SplitterBuckets&)> const& change) {
    BucketFunctionRecord* const record = pick(run.functions, choice, has_splitters);
    return record != nullptr && change(*record, *splitters_of(*record));
}

/// Images of the run's keys, sorted.
std::vector<KeyImage> sorted_images(RecordedRun const& run) {
    auto const input = model::verify::find_input(run.header);
    std::vector<model::uint128> wide(input->input->key_count());
    input->input->images(0, std::span<model::uint128>(wide));
    std::vector<KeyImage> images(wide.size());
    std::ranges::transform(wide, images.begin(), model::key_image);
    std::ranges::sort(images);
    return images;
}

bool splitter_is_another_key(RecordedRun& run, std::uint64_t choice) {
    auto const images = sorted_images(run);
    return change_splitters(run, choice, [&](BucketFunctionRecord&, SplitterBuckets& splitters) {
        std::size_t const i = choice / 7 % splitters.splitters.size();
        auto const next = std::ranges::upper_bound(images, splitters.splitters[i]);
        bool const last = i + 1 == splitters.splitters.size();
        if (next == images.end() || (!last && *next >= splitters.splitters[i + 1])) {
            return false;
        }
        splitters.splitters[i] = *next;
        return true;
    });
}

bool splitter_is_no_key(RecordedRun& run, std::uint64_t choice) {
    auto const images = sorted_images(run);
    return change_splitters(run, choice, [&](BucketFunctionRecord&, SplitterBuckets& splitters) {
        KeyImage& last = splitters.splitters.back();
        bool const is_largest =
            model::wide(last) == model::largest_image_of_bits(key_bits(run.header.key_type));
        KeyImage const other = model::key_image(model::wide(last) + 1);
        if (is_largest || std::ranges::binary_search(images, other)) {
            return false;
        }
        last = other;
        return true;
    });
}

bool splitter_outside_its_bucket(RecordedRun& run, std::uint64_t choice) {
    auto const config = model::verify::config_of(run.header);
    auto const space = model::verify::bucket_space_of(*config, run);
    return change_one(
        run.functions,
        choice,
        [&](BucketFunctionRecord const& record) {
            auto const images = space.images_of(record.bucket);
            return has_splitters(record) && images && images->lowest > 0;
        },
        [&](BucketFunctionRecord& record) {
            auto const lowest = space.images_of(record.bucket)->lowest;
            splitters_of(record)->splitters.front() = model::key_image(lowest - 1);
        });
}

bool equality_lost(RecordedRun& run, std::uint64_t choice) {
    return change_splitters(
        run, choice, [](BucketFunctionRecord& record, SplitterBuckets& splitters) {
            auto const flag = std::ranges::find(splitters.equality, true);
            if (flag == splitters.equality.end()) {
                return false;
            }
            *flag = false;
            record.function.buckets -= 1;
            return true;
        });
}

bool equality_added(RecordedRun& run, std::uint64_t choice) {
    return change_splitters(
        run, choice, [](BucketFunctionRecord& record, SplitterBuckets& splitters) {
            auto const flag = std::ranges::find(splitters.equality, false);
            if (flag == splitters.equality.end()) {
                return false;
            }
            *flag = true;
            record.function.buckets += 1;
            return true;
        });
}

bool splitter_lost(RecordedRun& run, std::uint64_t choice) {
    return change_splitters(
        run, choice, [](BucketFunctionRecord& record, SplitterBuckets& splitters) {
            record.function.buckets -= splitters.equality.back() ? 2 : 1;
            splitters.splitters.pop_back();
            splitters.equality.pop_back();
            return true;
        });
}

bool first_splitters_exchanged(RecordedRun& run, std::uint64_t choice) {
    return change_splitters(run, choice, [](BucketFunctionRecord&, SplitterBuckets& splitters) {
        if (splitters.splitters.size() < 2) {
            return false;
        }
        std::swap(splitters.splitters[0], splitters.splitters[1]);
        return true;
    });
}

bool tie_on_the_other_side(RecordedRun& run, std::uint64_t choice) {
    return change_splitters(run, choice, [](BucketFunctionRecord&, SplitterBuckets& splitters) {
        splitters.tie = Tie::right;
        return true;
    });
}

bool function_lost(RecordedRun& run, std::uint64_t choice) {
    if (run.functions.empty()) {
        return false;
    }
    run.functions.erase(run.functions.begin() +
                        static_cast<std::ptrdiff_t>(choice % run.functions.size()));
    return true;
}

bool function_of_another_bucket(RecordedRun& run, std::uint64_t choice) {
    return change_one(
        run.functions, choice, any<BucketFunctionRecord>, [](BucketFunctionRecord& record) {
            record.bucket = {1, 255};
        });
}

bool counted_by_another_function(RecordedRun& run, std::uint64_t choice) {
    return change_one(
        run.histograms,
        choice,
        [](HistogramRecord const& record) { return record.function.has_value(); },
        [](HistogramRecord& record) { record.function = *record.function + 1; });
}

/// Changes a parameter of the header if that changes the functions.
bool parameter_changed(RecordedRun& run, std::string const& name, std::uint64_t value) {
    RecordedRun changed = run;
    changed.header.parameters[name] = value;
    auto const config = model::verify::config_of(changed.header);
    auto const input = model::verify::find_input(changed.header);
    auto const plan = model::verify::plan_as_recorded(*config, input->input->source(), changed);
    std::vector<BucketFunction> functions;
    if (plan) {
        for (model::PassPlan const& pass : plan->passes) {
            functions.insert(functions.end(), pass.functions.begin(), pass.functions.end());
        }
    }
    if (std::ranges::equal(functions, run.functions, {}, {}, &BucketFunctionRecord::function)) {
        return false;
    }
    run = std::move(changed);
    return true;
}

bool oversampling_changed(RecordedRun& run, std::uint64_t choice) {
    return parameter_changed(run, "oversampling", 1 + choice % 64);
}
bool seed_changed(RecordedRun& run, std::uint64_t choice) {
    return parameter_changed(run, "sample-seed", choice);
}

} // namespace

std::vector<TraceFault> splitter_faults() {
    using enum model::verify::Verdict;
    return {
        {"splitter: another key",
         "the next key of the input",
         {wrong_plan},
         splitter_is_another_key},
        {"splitter: no key", "one above the key that was drawn", {wrong_plan}, splitter_is_no_key},
        {"splitter: outside", "one below its bucket", {wrong_plan}, splitter_outside_its_bucket},
        {"splitter: lost", "the last of a function is left out", {wrong_plan}, splitter_lost},
        {"splitters: exchanged",
         "the first two do not ascend",
         {wrong_plan},
         first_splitters_exchanged},
        {"splitter: tie", "equal keys go to the other side", {wrong_plan}, tie_on_the_other_side},
        {"equality: lost", "a frequent value has no bucket", {wrong_plan}, equality_lost},
        {"equality: added", "a value has a bucket of its own", {wrong_plan}, equality_added},
        {"function: lost",
         "a bucket is divided by nothing",
         {wrong_plan, wrong_execution, incomplete_trace},
         function_lost},
        {"function: another bucket",
         "a function divides a bucket that is not refined",
         {wrong_plan, wrong_execution},
         function_of_another_bucket},
        {"function: another number",
         "keys are counted by another function",
         {wrong_plan, wrong_execution},
         counted_by_another_function},
        {"sample: oversampling", "the header names another", {wrong_plan}, oversampling_changed},
        {"sample: seed", "the header names another", {wrong_plan}, seed_changed},
    };
}

} // namespace keyswap::proptests
