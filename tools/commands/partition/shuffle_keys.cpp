/// \file `keyswap multisplit --to-owner`: a shuffle, its records and its tables.

#include "model/partition/record_multisplit.hpp"
#include "model/partition/shuffle.hpp"
#include "tools/backends/operation_gpu.hpp"
#include "tools/backends/shuffle_run.hpp"
#include "tools/commands/partition/multisplit_request.hpp"
#include "tools/commands/partition/operation_fields.hpp"
#include "tools/output/json_result.hpp"
#include "tools/output/operation_trace.hpp"
#include "tools/text/json.hpp"
#include "tools/text/number_text.hpp"
#include "tools/text/table.hpp"
#include "traces/errors/grouped_count.hpp"
#include "traces/errors/parsed_number.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <numeric>

namespace keyswap::tools {

namespace {

std::vector<int> devices_of(MultisplitJob const& job) {
    return job.gpu ? job.gpu->gpus : std::vector<int>(job.request.config.gpu_count, 0);
}

Expected<std::vector<GpuId>>
parse_owners(std::string const& text, std::uint32_t buckets, std::size_t gpu_count) {
    auto const refused = [&](std::string problem) {
        return input_error("--owners",
                           std::move(problem),
                           "give " + grouped_count(buckets) +
                               " numbers of GPUs with commas between, from 0 to " +
                               std::to_string(gpu_count - 1));
    };
    std::vector<GpuId> owners;
    for (std::size_t begin = 0; begin <= text.size();) {
        std::size_t const end = std::min(text.find(',', begin), text.size());
        std::string const piece = text.substr(begin, end - begin);
        auto const owner = parsed_number<std::uint32_t>(piece);
        if (!owner || *owner >= gpu_count) {
            return refused("'" + piece + "' is not a GPU of " + std::to_string(gpu_count));
        }
        owners.push_back(GpuId{*owner});
        begin = end + 1;
    }
    if (owners.size() != buckets) {
        return refused("there are " + grouped_count(owners.size()) + " for " +
                       grouped_count(buckets) + " buckets");
    }
    return owners;
}

/// Number of keys sent to another GPU.
std::uint64_t keys_moved(ShuffleRun const& run) {
    return std::accumulate(run.shuffle.copies.begin(),
                           run.shuffle.copies.end(),
                           std::uint64_t{0},
                           [](std::uint64_t sum, CopyRecord const& copy) {
                               return sum + (copy.source == copy.destination ? 0 : copy.count);
                           });
}

/// Largest key count of a GPU divided by the mean; 1 without keys.
double imbalance(ShuffleRun const& run, std::uint64_t key_count) {
    std::uint64_t largest = 0;
    for (OwnershipRecord const& owner : run.shuffle.ownership) {
        largest = std::max(largest, owner.count);
    }
    return key_count == 0
               ? 1.0
               : static_cast<double>(largest) * static_cast<double>(run.shuffle.ownership.size()) /
                     static_cast<double>(key_count);
}

/// Writes the records of a run (traces/FORMAT.md, "Shuffles").
void record_shuffle(ShuffleRun const& run, RunHeader const& header, TraceSink& sink) {
    sink.write(header);
    sink.write(BucketFunctionRecord{0, {}, run.function});
    for (ChunkSplit const& split : run.splits) {
        model::PartitionPlace const place{1, split.partition.gpu, 0};
        sink.write(model::histogram_record(place, split.counts));
        sink.write(split.partition);
        model::record_bucket_digests(place, split.digests, sink);
    }
    model::record_exchange(run.shuffle, run.arrivals, sink);
    for (PhaseTimeRecord const& time : run.times) {
        sink.write(time);
    }
    sink.write(VerdictRecord{"partition", run.holds(), run.wrong});
}

Expected<void>
record_if_asked(MultisplitJob& job, ShuffleRun const& run, std::vector<int> const& devices) {
    if (!job.trace) {
        return {};
    }
    RunHeader header =
        operation_header(Operation::multisplit, job.options.method, job.request, job.content);
    header.gpus = devices;
    set_gpu(header, job.gpu);
    header.layout = SwapLayout::by_bucket;
    header.parameters = {
        {std::string(model::given_owners_parameter), job.options.owners.has_value() ? 1 : 0}};
    record_shuffle(run, header, *job.trace);
    return job.trace->finish();
}

void print_shuffle_json(MultisplitJob const& job, ShuffleRun const& run) {
    std::uint64_t const key_count = job.content.count;
    Json config = multisplit_config(job.options, job.request, run.function.buckets);
    config["gpu_count"] = run.splits.size();
    Json json = json_result("multisplit", std::move(config));
    json["gpus"] = document(run.shuffle.ownership);
    json["buckets"] = document(run.shuffle.placements);
    json["imbalance"] = imbalance(run, key_count);
    json["keys_moved"] = keys_moved(run);
    json["copies"] = run.shuffle.copies.size();
    json["output"] = document(run.output);
    if (!run.times.empty()) {
        Json times = json_array(run.times, [](PhaseTimeRecord const& time) {
            return Json{{"gpu", time.gpu.value},
                        {"phase", time.phase.text()},
                        {"milliseconds", static_cast<double>(time.end_ns - time.begin_ns) * 1e-6}};
        });
        json["phases"] = std::move(times);
    }
    json["holds"] = run.holds();
    if (!run.holds()) {
        json["violation"] = run.wrong;
    }
    print_json(json, std::cout);
}

void print_shuffle(MultisplitJob const& job, ShuffleRun const& run) {
    std::ostream& out = job.options.files().text();
    std::uint64_t const key_count = job.content.count;
    out << "shuffle: " << input_text(job.request) << "\n  rule " << job.options.rule << ", "
        << counted(run.function.buckets, "bucket") << ", method " << job.options.method << ", "
        << counted(run.splits.size(), job.gpu ? "GPU" : "virtual GPU") << "\n\n";
    Table const table({{"GPU", 5}, {"before", 15}, {"after", 16}, {"buckets", 10}});
    out << table.header();
    for (std::size_t gpu = 0; gpu < run.splits.size(); ++gpu) {
        auto const owned =
            std::ranges::count(run.shuffle.placements,
                               static_cast<std::uint32_t>(gpu),
                               [](auto const& placed) { return placed.first.value; });
        out << table.row(gpu,
                         grouped_count(run.splits[gpu].partition.count),
                         grouped_count(run.shuffle.ownership[gpu].count),
                         owned);
    }
    out << std::fixed << std::setprecision(1) << "\n  " << counted(keys_moved(run), "key")
        << (keys_moved(run) == 1 ? " changes" : " change") << " GPUs ("
        << (key_count == 0
                ? 0.0
                : 100.0 * static_cast<double>(keys_moved(run)) / static_cast<double>(key_count))
        << " %) in " << counted(run.shuffle.copies.size(), "copy", "copies")
        << "; the fullest GPU holds " << std::setprecision(2) << imbalance(run, key_count)
        << " times the mean\n";
    bool const stable = std::ranges::all_of(run.splits, [](ChunkSplit const& split) {
        return split.partition.stability == Stability::stable;
    });
    out << "  "
        << (!run.holds() ? "VIOLATION: " + run.wrong
            : stable     ? "checked: the one stable partition by owner and bucket"
                         : "checked: every bucket's keys are on its owner")
        << '\n';
}

} // namespace

Expected<ExitCode> shuffle_keys(MultisplitJob job) {
    std::vector<int> const devices = devices_of(job);
    if (job.options.method == "all") {
        return input_error(
            "--method all and --to-owner", "do not go together", "name one method, as fused");
    }
    std::uint32_t const buckets = job.given.function.buckets;
    KEYSWAP_TRY(auto owners,
                job.options.owners ? parse_owners(*job.options.owners, buckets, devices.size())
                                   : Expected<std::vector<GpuId>>(model::even_owners(
                                         buckets, static_cast<std::uint32_t>(devices.size()))));
    ShuffleJob const what{job.options.method, std::move(owners), devices};
    KEYSWAP_TRY(auto const run,
                job.gpu ? shuffle_on_gpus(job.given, what, job.memory, job.request.config)
                        : shuffle_by_reference(job.given, what, job.memory, job.request.config));
    KEYSWAP_RETURN_IF_ERROR(record_if_asked(job, run, devices));
    KEYSWAP_RETURN_IF_ERROR(write_outputs(job, run.starts));
    job.options.json ? print_shuffle_json(job, run) : print_shuffle(job, run);
    return run.holds() ? ExitCode::fine : ExitCode::violation;
}

} // namespace keyswap::tools
