#include "tools/bench/bench_rows.hpp"

#include "simulator/schedules/schedule.hpp"
#include "tools/backends/gpu_sort.hpp"
#include "tools/text/document.hpp"
#include "tools/text/json.hpp"
#include "tools/text/number_text.hpp"
#include "tools/text/table.hpp"
#include "traces/errors/joined_text.hpp"

#include <algorithm>
#include <array>
#include <iomanip>
#include <ostream>
#include <set>
#include <thread>

namespace keyswap::tools {

namespace {

bool is_virtual(std::vector<int> const& devices) {
    return std::set<int>(devices.begin(), devices.end()).size() < devices.size();
}

/// Name of the sort in a file of measurements: our own if it exchanges keys, since
/// `radix-mgpu-sort` is the published program, whose host code differs; else the published one.
/// Empty if the file has no columns for its phases.
std::string name_in_file(BenchSort const& sort) {
    bool const fits_columns = std::ranges::find(sort.choice.algorithm->phases, Phase::key_swap) !=
                              sort.choice.algorithm->phases.end(); // columns of RMG sort
    return fits_columns && simulator::find_schedule(sort.name)
               ? sort.name
               : std::string(sort.choice.variant->published_name);
}

/// End of a GPU's last upload from host memory; 0 if keys were device-resident.
std::int64_t upload_end_ns(std::vector<PhaseTimeRecord> const& times, GpuId gpu) {
    std::int64_t end_ns = 0;
    for (PhaseTimeRecord const& time : times) {
        if (time.gpu == gpu && time.phase == Phase::host_to_device) {
            end_ns = std::max(end_ns, time.end_ns);
        }
    }
    return end_ns;
}

/// Phases of one GPU grouped as in the published files, without overlap: a histogram that runs
/// during the upload counts only from the end of the upload.
GpuPhases phases_of(std::vector<PhaseTimeRecord> const& times, GpuId gpu, std::size_t passes) {
    GpuPhases phases;
    phases.histogram_ms.assign(passes, 0.0);
    phases.scatter_ms.assign(passes, 0.0);
    std::int64_t const uploaded_ns = upload_end_ns(times, gpu);
    for (PhaseTimeRecord const& time : times) {
        if (time.gpu != gpu) {
            continue;
        }
        std::int64_t const begin_ns = time.phase == Phase::histogram
                                          ? std::clamp(uploaded_ns, time.begin_ns, time.end_ns)
                                          : time.begin_ns;
        double const ms = static_cast<double>(time.end_ns - begin_ns) / 1e6;
        auto const pass = static_cast<std::size_t>(std::max(1, time.pass)) - 1;
        if (time.phase == Phase::host_to_device) {
            phases.host_to_device_ms += ms;
        } else if (time.phase == Phase::histogram && pass < passes) {
            phases.histogram_ms[pass] += ms;
        } else if (time.phase == Phase::scatter && pass < passes) {
            phases.scatter_ms[pass] += ms;
        } else if (time.phase == Phase::key_swap) {
            phases.key_swap_ms += ms;
        } else if (time.phase == Phase::device_to_host) {
            phases.device_to_host_ms += ms;
        } else {
            phases.sort_ms += ms; // bucket sorts, any overlapped copy back, merges
        }
    }
    return phases;
}

Measurement
measurement_of(RunHeader const& machine, int gpu_count, BenchRow const& row, std::size_t run) {
    kernels::SortOptions const& options = row.job.options;
    std::uint64_t const gpus = options.devices.size();
    std::uint64_t const key_bytes = key_size_bytes(options.key_type);
    Measurement measurement;
    measurement.device_name = machine.device;
    measurement.system_gpus = static_cast<std::uint32_t>(gpu_count);
    measurement.algorithm = name_in_file(row.sort);
    measurement.key_count = row.job.key_count;
    measurement.gpus = options.devices;
    measurement.cpu_threads = std::thread::hardware_concurrency();
    measurement.key_type = traits_of(options.key_type).published_name;
    measurement.distribution = row.distribution;
    measurement.parameter = row.parameter;
    measurement.chunk_size = (row.job.key_count + gpus - 1) / gpus;
    std::uint64_t const keys_per_block = 1024 * (key_bytes == 4 ? 12 : 6); // as published
    measurement.thread_blocks = (measurement.chunk_size + keys_per_block - 1) / keys_per_block;
    double const chunk_mb = static_cast<double>(measurement.chunk_size * key_bytes) / 1e6;
    measurement.device_memory_mb = static_cast<double>(row.runs.bytes_per_gpu) / 1e6;
    measurement.memory_overhead_mb = measurement.device_memory_mb - chunk_mb;
    measurement.sort_overhead_mb = measurement.memory_overhead_mb;
    measurement.passes = static_cast<std::uint32_t>(row.runs.passes);
    for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
        measurement.phases.push_back(
            phases_of(row.runs.times[run], GpuId{gpu}, measurement.passes));
    }
    measurement.total_ms = row.runs.milliseconds[run];
    return measurement;
}

std::string devices_text(std::vector<int> const& devices) {
    return joined_text(devices, ",");
}

Json row_json(BenchRow const& row, BenchSet const& set) {
    kernels::SortOptions const& options = row.job.options;
    Json phases = Json::array();
    for (auto const& times : row.runs.times) {
        Json of_run = Json::object();
        for (PhaseSpan const& span : phase_spans(times)) {
            of_run[span.name] = span.ms;
        }
        phases.push_back(of_run);
    }
    return {{"sort", row.sort.name},
            {"residence", row.job.residence == Residence::host ? "host" : "device"},
            {"keys", row.job.key_count},
            {"type", to_string(options.key_type)},
            {"values", to_string(options.value_type)},
            {"distribution", row.distribution},
            {"parameter", row.parameter},
            {"passes", row.runs.passes},
            {"sorted", row.runs.sorted},
            {"same_elements", row.runs.same_elements},
            {"milliseconds", row.runs.milliseconds},
            {"median_ms", row.runs.median()},
            {"spread", row.runs.spread()},
            {"Gkeys_per_s", row.keys_per_ns()},
            {"share_of_cub", document(row.cub_share())},
            {"swap_GBps", document(row.swap_GBps())},
            {"ratio_to_transfers",
             set.rates ? document(row.transfer_ratio(*set.rates)) : Json(nullptr)},
            {"bytes_per_gpu", row.runs.bytes_per_gpu},
            {"phases_ms", phases}};
}

Table row_table() {
    return Table({{"sort", -14, 2},
                  {"where", -7},
                  {"passes", 7},
                  {"median ms", 11},
                  {"spread %", 10},
                  {"Gkeys/s", 9},
                  {"of CUB", 8},
                  {"of tfr", 8}});
}

/// Line below a row, which wraps to the terminal's width.
std::string detail_line(std::string const& text) {
    return "    " + text + '\n';
}

/// Row of CUB's own sort, which the sorts listed below equal on one GPU.
constexpr std::string_view cub_alone = "one-gpu";
constexpr std::array<std::string_view, 4> sort_chunks_by_cub = {
    "rmg-rotated", "rmg-paper", "p2p-merge", "het-merge"};

} // namespace

AlgorithmChoice cub_choice() {
    return choose("rmg", "rotated").value();
}

std::vector<BenchSort> known_bench_sorts() {
    std::vector<BenchSort> sorts;
    for (AlgorithmChoice const choice : every_choice()) {
        if (kernels::runs_on_gpus(*choice.algorithm)) {
            sorts.push_back({full_name(choice), choice, choice});
        } else if (choice.algorithm->name == cub_alone) {
            sorts.push_back({full_name(choice), choice, cub_choice()});
            sorts.push_back(
                {"cub-merge", choice, cub_choice(), kernels::BenchPeer::cub_merge_sort});
            sorts.push_back(
                {"cub-radix", choice, cub_choice(), kernels::BenchPeer::cub_radix_sort});
            sorts.push_back(
                {"cub-tuned", choice, cub_choice(), kernels::BenchPeer::cub_tuned_radix_sort});
        }
    }
    return sorts;
}

bool BenchSort::takes(SortShape const& shape) const {
    switch (peer) {
    case kernels::BenchPeer::none:
        return kernels::runs_on_gpus(*measured.algorithm, shape.key_type);
    case kernels::BenchPeer::cub_tuned_radix_sort:
        return kernels::has_tuned_policy(shape);
    default:
        return true;
    }
}

bool BenchSort::differs_from_cub_on_one_gpu() const {
    return std::ranges::find(sort_chunks_by_cub, name) == sort_chunks_by_cub.end();
}

double BenchRow::keys_per_ns() const {
    double const ms = runs.median();
    return ms > 0 ? static_cast<double>(job.key_count) / ms / 1e6 : 0;
}

std::optional<double> BenchRow::cub_share() const {
    if (job.residence == Residence::host || cub_ms <= 0 || runs.median() <= 0) {
        return std::nullopt;
    }
    return cub_ms / runs.median(); // with equal keys per GPU, rates compare as times
}

std::optional<double> BenchRow::swap_GBps() const {
    std::optional<SwapLayout> const layout = sort.choice.variant->layout;
    bool const alone = layout && *layout != SwapLayout::by_round; // by_round overlaps the sort
    auto const gpus = static_cast<double>(job.options.devices.size());
    if (!alone || gpus < 2 || runs.times.empty()) {
        return std::nullopt;
    }
    for (PhaseSpan const& span : phase_spans(runs.times.back())) {
        if (span.name == to_string(Phase::key_swap) && span.ms > 0) {
            double const chunk_bytes =
                static_cast<double>(job.key_count * job.options.element_bytes()) / gpus;
            return chunk_bytes * (gpus - 1) / gpus / span.ms / 1e6;
        }
    }
    return std::nullopt;
}

std::optional<double> BenchRow::transfer_ratio(kernels::MachineRates const& rates) const {
    if (job.residence == Residence::devices || rates.host_to_device_all <= 0 ||
        rates.device_to_host_all <= 0) {
        return std::nullopt;
    }
    double const bytes = static_cast<double>(job.key_count * job.options.element_bytes());
    double const transfers_ms =
        bytes / rates.host_to_device_all / 1e6 + bytes / rates.device_to_host_all / 1e6;
    return transfers_ms > 0 ? std::optional(runs.median() / transfers_ms) : std::nullopt;
}

void print_rates(BenchSet const& set, std::ostream& out) {
    out << "\nGPUs " << devices_text(set.devices) << (is_virtual(set.devices) ? " (virtual)" : "")
        << '\n';
    if (!set.rates) {
        return;
    }
    kernels::MachineRates const& rates = *set.rates;
    out << std::fixed << std::setprecision(1) << "  GB/s of the machine's own copies: memory "
        << rates.memory_copy << " (read + write), all GPUs host to device "
        << rates.host_to_device_all << ", device to host " << rates.device_to_host_all
        << ", both at once " << rates.host_both_ways_all;
    if (set.devices.size() > 1) {
        out << ", a pair " << rates.peer_pair << ", all to all out of each "
            << rates.all_to_all_out;
    }
    out << '\n';
}

void print_row_header(SortRequest const& request, BenchSet const& set, std::ostream& out) {
    ValueType const values = request.config.value_type;
    out << '\n'
        << input_text(request)
        << (values == ValueType::none
                ? ""
                : ", with values of " + std::string(to_string(values)) + " bits")
        << ", on " << counted(set.devices.size(), "GPU") << '\n'
        << row_table().header() << detail_line("phases, ms: the longest on a GPU");
}

void print_row(BenchRow const& row, BenchSet const& set, std::ostream& out) {
    auto const optional = [](std::optional<double> value) {
        return value ? printed("%.2f", *value) : "-";
    };
    std::string phases;
    if (!row.runs.times.empty()) {
        for (PhaseSpan const& span : phase_spans(row.runs.times.back())) {
            phases += (phases.empty() ? "" : " ") + span.name + printed(" %.2f;", span.ms);
        }
    }
    if (auto const rate = row.swap_GBps()) {
        phases += printed(" swap %.0f GB/s;", *rate);
    }
    out << row_table().row(row.sort.name,
                           row.job.residence == Residence::host ? "host" : "device",
                           row.runs.passes,
                           printed("%.3f", row.runs.median()),
                           printed("%.1f", 100 * row.runs.spread()),
                           printed("%.1f", row.keys_per_ns()),
                           optional(row.cub_share()),
                           optional(set.rates ? row.transfer_ratio(*set.rates) : std::nullopt))
        << detail_line((row.holds() ? "" : "WRONG RESULT; ") + phases)
        << std::flush; // each row takes seconds
}

Json bench_json(RunHeader const& machine, int gpu_count, std::vector<BenchSet> const& sets) {
    Json all = Json::array();
    for (BenchSet const& set : sets) {
        Json rows = json_array(set.rows, [&](BenchRow const& row) { return row_json(row, set); });
        Json rates = nullptr;
        if (set.rates) {
            rates = {{"memory_copy", set.rates->memory_copy},
                     {"host_to_device_all", set.rates->host_to_device_all},
                     {"device_to_host_all", set.rates->device_to_host_all},
                     {"host_both_ways_all", set.rates->host_both_ways_all},
                     {"host_to_device", set.rates->host_to_device},
                     {"device_to_host", set.rates->device_to_host},
                     {"peer", set.rates->peer},
                     {"all_to_all_out", set.rates->all_to_all_out}};
        }
        all.push_back({{"devices", set.devices}, {"rates_GBps", rates}, {"rows", rows}});
    }
    return {{"device", machine.device},
            {"driver", machine.driver},
            {"system_gpus", gpu_count},
            {"gpu_sets", all}};
}

std::vector<Measurement>
measurements_of(RunHeader const& machine, int gpu_count, std::vector<BenchSet> const& sets) {
    std::vector<Measurement> all;
    for (BenchSet const& set : sets) {
        if (is_virtual(set.devices)) {
            continue;
        }
        for (BenchRow const& row : set.rows) {
            bool const has_columns = row.job.residence == Residence::host &&
                                     row.job.options.value_type == ValueType::none &&
                                     !name_in_file(row.sort).empty();
            for (std::size_t run = 0; has_columns && run < row.runs.milliseconds.size(); ++run) {
                all.push_back(measurement_of(machine, gpu_count, row, run));
            }
        }
    }
    return all;
}

} // namespace keyswap::tools
