// What a command prints for people and what it prints with --json are the same: the first is made
// anew from the second, by other code, and no field is left that nobody reads. Options are random;
// RC_PARAMS="seed=..." repeats them.

#include "model/sorts/algorithm.hpp"
#include "tools/bench/bench_plan.hpp"
#include "tools/bench/cpu_bench.hpp"
#include "tools/commands/program_run.hpp"
#include "tools/report/sweep_csv.hpp"
#include "tools/testing/command_words.hpp"
#include "tools/text/number_text.hpp"
#include "traces/catalog/catalog.hpp"
#include "traces/format/trace_reader.hpp"
#include "traces/format/trace_writer.hpp"

#include <nlohmann/json.hpp>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <regex>
#include <sstream>

namespace keyswap::tools {
namespace {

using testing::lines_of_words;
using testing::ToldJson;
using Words = std::vector<std::string>;
using Lines = std::vector<std::string>;

/// The same lines, without those that begin so: they tell what every run has of its own.
Lines without(Lines lines, Words const& beginnings) {
    std::erase_if(lines, [&](std::string const& line) {
        return std::ranges::any_of(
            beginnings, [&](std::string const& begin) { return line.starts_with(begin); });
    });
    return lines;
}

/// How two texts are compared.
struct Agreement {
    std::function<std::string(ToldJson const&)> words;
    /// Fields that no text shows, each with a reason at the property.
    std::set<std::string> only_in_json = {};
    /// Beginnings of lines that differ from run to run.
    Words of_one_run = {};
    /// What is left out of every line.
    std::string left_out = "$^";
};

/// \pre both are of one command on the same options
void expect_agreement(std::string const& text, std::string const& json, Agreement const& how) {
    auto const document = ToldJson::Json::parse(json);
    ToldJson const told(document);
    Lines const expected = without(lines_of_words(how.words(told)), how.of_one_run);
    Lines const shown = without(
        lines_of_words(std::regex_replace(text, std::regex(how.left_out), "")), how.of_one_run);
    for (std::size_t i = 0; i < std::max(shown.size(), expected.size()); ++i) {
        std::string const line = i < shown.size() ? shown[i] : "(no line)";
        RC_ASSERT(line == (i < expected.size() ? expected[i] : "(no line)"));
    }
    std::set<std::string> unread = told.unread();
    for (char const* const path :
         {"command", "version", "config/generator_version"}) { // of the program, not of the answer
        unread.erase(path);
    }
    for (std::string const& path : how.only_in_json) {
        unread.erase(path);
    }
    RC_ASSERT(unread == std::set<std::string>());
}

/// Runs the command in both ways. \return exit code of both
ExitCode expect_command_agrees(Words arguments, Agreement const& how) {
    std::ostringstream shown;
    for (std::string const& argument : arguments) {
        shown << argument << ' ';
    }
    RC_LOG() << "keyswap " << shown.str() << '\n';
    ProgramRun const text = run_program(arguments);
    arguments.emplace_back("--json");
    ProgramRun const json = run_program(arguments);
    RC_LOG() << text.errors << json.errors;
    RC_ASSERT(text.code == json.code);
    RC_ASSERT(text.errors == json.errors);
    if (text.code == ExitCode::could_not_run && json.output.empty()) {
        RC_ASSERT(text.output == "");
        RC_DISCARD("is refused, with the same words");
    }
    expect_agreement(text.output, json.output, how);
    return text.code;
}

template <class Value>
Value one_of(std::vector<Value> const& values) {
    return *rc::gen::elementOf(values);
}

std::string number_in(int low, int high) {
    return std::to_string(*rc::gen::inRange(low, high + 1));
}

std::string type_of(AlgorithmInfo const& algorithm) {
    return std::string(
        to_string(one_of(std::vector(algorithm.key_types.begin(), algorithm.key_types.end()))));
}

Words keys_of(std::string const& type, int keys_most) {
    std::string const distribution =
        one_of<std::string>({"uniform", "zipf", "zero", "sorted", "nearly-sorted", "skewed"});
    Words words{"--distribution",
                distribution,
                "--keys",
                number_in(0, keys_most),
                "--seed",
                number_in(0, 1000),
                "--type",
                type};
    if (distribution == "skewed" && *rc::gen::arbitrary<bool>()) {
        words.insert(words.end(), {"--parameter", number_in(0, 20)});
    }
    return words;
}

void add(Words& words, Words const& more) {
    words.insert(words.end(), more.begin(), more.end());
}

/// A sort of the catalogue on some keys.
Words sort_of(std::string const& command, AlgorithmInfo const& algorithm, int keys_most) {
    Words words{command, "--algorithm", std::string(algorithm.name)};
    add(words, keys_of(type_of(algorithm), keys_most));
    if (algorithm.gpus == GpuCounts::any) {
        add(words, {"--gpu-count", number_in(1, 20)});
    } else if (algorithm.gpus == GpuCounts::power_of_two) {
        add(words, {"--gpu-count", std::to_string(1 << *rc::gen::inRange(0, 4))});
    }
    if (*rc::gen::arbitrary<bool>()) {
        add(words, {"--direction", "descending"});
    }
    ParameterInfo const* const digit_bits = find_parameter(algorithm, "digit-bits");
    if (digit_bits != nullptr && *rc::gen::arbitrary<bool>()) {
        std::uint64_t const bits = one_of<std::uint64_t>({3, 4, 8, 16});
        add(words,
            {"--digit-bits",
             std::to_string(std::clamp(bits, digit_bits->least, digit_bits->most))});
    }
    return words;
}

AlgorithmInfo const& algorithm_of_catalogue() {
    auto const all = model::algorithms();
    return one_of(std::vector(all.begin(), all.end()))->info();
}

/// Of plans: what they hold without being asked to list it, and what follows from the rest.
std::set<std::string> const fields_of_plans{"config/values",
                                            "config/gpu_count",
                                            "config/zero_order",
                                            "config/variant",
                                            "plan/finding",
                                            "plan/tolerance",
                                            "plan/gpus[]/base",
                                            "plan/gpus[]/gpu",
                                            "plan/gpus[]/keys",
                                            "plan/bucket_count",
                                            "plan/passes_needed",
                                            "plan/owned_max",
                                            "plan/sorted_runs",
                                            "plan/longest_run",
                                            "plan/chunk",
                                            "plan/buckets[]/pass",
                                            "plan/buckets[]/first_gpu",
                                            "plan/buckets[]/last_gpu",
                                            "plan/buckets[]/state",
                                            "plan/buckets[]/prefix",
                                            "plan/buckets[]/keys",
                                            "plan/not_placed[]/state",
                                            "plan/copies[]/source",
                                            "plan/copies[]/source_offset",
                                            "plan/copies[]/destination",
                                            "plan/copies[]/destination_offset",
                                            "plan/copies[]/count",
                                            "plan/stages[]/copies[]/source",
                                            "plan/stages[]/copies[]/source_offset",
                                            "plan/stages[]/copies[]/destination",
                                            "plan/stages[]/copies[]/destination_offset",
                                            "plan/stages[]/merges[]/gpu",
                                            "plan/stages[]/merges[]/offset",
                                            "plan/stages[]/merges[]/runs[]"};

/// What the numbers of a plan have to do with each other.
void expect_consistent(ToldJson::Json const& told) {
    auto const& plan = told["plan"];
    if (!plan.contains("gpus")) {
        return;
    }
    auto const keys = told["config"]["keys"].get<std::uint64_t>();
    std::uint64_t owned = 0;
    std::uint64_t most = 0;
    std::uint64_t received = 0;
    for (std::size_t i = 0; i < plan["gpus"].size(); ++i) {
        auto const& gpu = plan["gpus"][i];
        RC_ASSERT(gpu["gpu"] == i);
        RC_ASSERT(gpu["base"] == owned);
        owned += gpu["keys"].get<std::uint64_t>();
        most = std::max(most, gpu["keys"].get<std::uint64_t>());
        received += gpu["received"].get<std::uint64_t>();
        RC_ASSERT(gpu["end_bit_min"] <= gpu["end_bit_max"]);
    }
    RC_ASSERT(owned == keys);
    RC_ASSERT(plan["balance"]["most"] == most);
    RC_ASSERT(plan["balance"]["bound"] >= most);
    RC_ASSERT(plan["key_swap"]["moved"] == received);
    RC_ASSERT(plan["passes_needed"] == plan["passes"].size());
    std::size_t not_placed = 0;
    for (auto const& pass : plan["passes"]) {
        RC_ASSERT(pass["placed"].get<std::size_t>() + pass["spanning"].get<std::size_t>() +
                      pass["cut"].get<std::size_t>() ==
                  pass["buckets"].get<std::size_t>());
        not_placed += pass["spanning"].get<std::size_t>() + pass["cut"].get<std::size_t>();
    }
    RC_ASSERT(plan["not_placed"].size() == not_placed);
    if (plan.contains("buckets")) {
        std::uint64_t begin = 0;
        for (auto const& bucket : plan["buckets"]) {
            RC_ASSERT(bucket["begin"] == begin);
            begin = bucket["end"].get<std::uint64_t>();
        }
        RC_ASSERT(begin == keys);
        RC_ASSERT(plan["bucket_count"] == plan["buckets"].size());
        std::uint64_t moved = 0;
        for (auto const& copy : plan["copies"]) {
            bool const stays = copy["source"] == copy["destination"];
            moved += stays ? 0 : copy["count"].get<std::uint64_t>();
        }
        RC_ASSERT(plan["key_swap"]["moved"] == moved);
        RC_ASSERT(plan["key_swap"]["copies"] <= plan["copies"].size());
    }
}

/// Rows of a table end where its heading ends, as far as one is printed.
/// \param heading its first words
void expect_aligned(std::string const& text, std::string const& heading) {
    std::istringstream lines(text);
    std::string line;
    while (std::getline(lines, line) && !line.starts_with(heading)) {
    }
    std::size_t const width = line.size();
    for (; std::getline(lines, line) && !line.empty() && !line.starts_with("  ... and");) {
        RC_ASSERT(line.size() == width);
    }
}

RC_GTEST_PROP(TableAndJsonOf, APlanAgree, ()) {
    Words words = sort_of("plan", algorithm_of_catalogue(), 60'000);
    bool const all = *rc::gen::arbitrary<bool>();
    if (all) {
        words.emplace_back("--all");
    }
    if (*rc::gen::arbitrary<bool>()) {
        words.emplace_back("--buckets");
    }
    if (*rc::gen::arbitrary<bool>()) {
        add(words, {"--source", one_of<std::string>({"streamed", "closed-form", "materialized"})});
    }
    expect_command_agrees(
        words,
        {[&](ToldJson const& told) { return testing::plan_words(told, all); }, fields_of_plans});
    std::string const text = run_program(words).output;
    for (char const* const heading : {"pass  ", " GPU  ", "stage  "}) {
        expect_aligned(text, heading);
    }
    words.emplace_back("--json");
    expect_consistent(ToldJson::Json::parse(run_program(words).output));
}

// A page shows the same plan by other code.
RC_GTEST_PROP(TableAndJsonOf, AReportHasThePlansNumbers, ()) {
    Words words{"plan", "--keys", number_in(1, 60'000), "--gpu-count", number_in(2, 12)};
    add(words, {"--distribution", one_of<std::string>({"uniform", "zipf", "zero", "skewed"})});
    add(words, {"--seed", number_in(0, 1000), "--type", one_of<std::string>({"u32", "f64"})});
    words.emplace_back("--json");
    ProgramRun const planned = run_program(words);
    words.front() = "report";
    ProgramRun const shown = run_program(words);
    RC_ASSERT(planned.code == ExitCode::fine);
    RC_ASSERT(shown.code == ExitCode::fine);
    auto const plan = ToldJson::Json::parse(planned.output)["plan"];
    auto const page = ToldJson::Json::parse(shown.output)["page"]["sections"][0];
    RC_ASSERT(page["chunk"] == plan["chunk"]);
    RC_ASSERT(page["tolerance"] == plan["tolerance"]);
    RC_ASSERT(page["passes"].size() == plan["passes"].size());
    for (std::size_t i = 0; i < plan["passes"].size(); ++i) {
        for (char const* const field : {"pass", "refined", "placed", "spanning", "cut"}) {
            RC_ASSERT(page["passes"][i][field] == plan["passes"][i][field]);
        }
    }
    std::size_t const gpus = plan["gpus"].size();
    RC_ASSERT(page["gpus"].size() == gpus);
    for (std::size_t i = 0; i < gpus; ++i) {
        for (char const* const field : {"gpu", "base", "keys", "received"}) {
            RC_ASSERT(page["gpus"][i][field] == plan["gpus"][i][field]);
        }
        RC_ASSERT(page["gpus"][i]["sorts"] == plan["gpus"][i]["sort_groups"]);
        RC_ASSERT(page["gpus"][i]["bits_min"] == plan["gpus"][i]["end_bit_min"]);
        RC_ASSERT(page["gpus"][i]["bits_max"] == plan["gpus"][i]["end_bit_max"]);
    }
    RC_ASSERT(page["copies"] == plan["key_swap"]["copies"]);
    auto const keys = page["keys"].get<double>();
    auto const moved = plan["key_swap"]["moved"].get<double>();
    bool told = false;
    for (auto const& answer : page["answers"]) {
        auto const text = answer.get<std::string>();
        told = told || (moved == 0 ? text == "No keys change GPUs."
                                   : text.starts_with(printed("%.1f %% of the keys change GPUs",
                                                              100 * moved / keys)));
    }
    RC_ASSERT(told);
}

RC_GTEST_PROP(TableAndJsonOf, ASortAgree, ()) {
    AlgorithmInfo const& algorithm = algorithm_of_catalogue();
    Words words = sort_of("sort", algorithm, 5000);
    if (algorithm.gpus == GpuCounts::none && *rc::gen::arbitrary<bool>()) {
        add(words, {"--backend", "cpu", "--threads", number_in(1, 3)});
    }
    if (*rc::gen::arbitrary<bool>()) {
        add(words, {"--values", one_of<std::string>({"32", "64"})});
    }
    std::set<std::string> only_in_json = fields_of_plans;
    // The digest is for programs, and no two runs take the same time.
    only_in_json.merge(std::set<std::string>{
        "holds", "digest/count", "digest/hash", "seconds", "verdicts[]/detail"});
    RC_ASSERT(
        expect_command_agrees(
            words, {testing::sort_words, only_in_json, {"Replayed on the CPU"}, ", in [0-9].*"}) ==
        ExitCode::fine);
}

/// A trace of a sort, in which a record may be missing, twice or out of order.
void put_trace(std::string const& path, bool changed) {
    Words words = sort_of("sort", algorithm_of_catalogue(), 1000);
    add(words, {"--record", path});
    ProgramRun const sorted = run_program(words);
    RC_LOG() << sorted.errors;
    RC_ASSERT(sorted.code == ExitCode::fine);
    if (!changed) {
        return;
    }
    auto records = read_trace(path).value();
    auto const place = records.begin() + *rc::gen::inRange<std::ptrdiff_t>(1, std::ssize(records));
    switch (*rc::gen::inRange(0, 3)) {
    case 0:
        records.erase(place);
        break;
    case 1:
        records.insert(place, TraceRecord(*place));
        break;
    default:
        std::iter_swap(place, records.begin() + 1);
    }
    std::filesystem::remove(path);
    auto wrong = TraceWriter::create(path).value();
    for (TraceRecord const& record : records) {
        wrong.write(record);
    }
    RC_ASSERT(wrong.finish().has_value());
}

RC_GTEST_PROP(TableAndJsonOf, AVerificationAgree, ()) {
    keyswap::testing::TemporaryFolder const folder;
    Words words{"verify"};
    int const traces = *rc::gen::inRange(1, 4);
    for (int i = 0; i < traces; ++i) {
        words.push_back((folder / (std::to_string(i) + ".trace")).string());
        put_trace(words.back(), *rc::gen::inRange(0, 3) > 0);
    }
    if (*rc::gen::arbitrary<bool>()) {
        words.emplace_back("--all");
    }
    expect_command_agrees(words,
                          {testing::verify_words,
                           {"config/traces[]",
                            "config/accept_incomplete",
                            "holds",
                            "traces[]/checked[]",
                            "traces[]/difference_count",
                            "traces[]/verdicts/wrong input",
                            "traces[]/verdicts/wrong plan",
                            "traces[]/verdicts/wrong execution",
                            "traces[]/verdicts/wrong order",
                            "traces[]/verdicts/lost or doubled keys",
                            "traces[]/verdicts/imbalance",
                            "traces[]/verdicts/incomplete trace",
                            "traces[]/verdicts/nothing checked",
                            "traces[]/verdicts/not deterministic"},
                           {}});
}

/// Keys as a line each.
std::string lines_of_keys(std::vector<int> const& keys) {
    std::string text;
    for (int const key : keys) {
        text += std::to_string(key) + "\n";
    }
    return text;
}

RC_GTEST_PROP(TableAndJsonOf, ACheckAgree, ()) {
    keyswap::testing::TemporaryFolder const folder;
    auto keys = *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 40)));
    std::string const input = (folder / "input.csv").string();
    std::string const output = (folder / "output.csv").string();
    std::string const heading = *rc::gen::arbitrary<bool>() ? "key\n" : "";
    keyswap::testing::put_text(input, heading + lines_of_keys(keys));
    std::ranges::sort(keys);
    for (int changes = *rc::gen::inRange(0, 3); changes > 0; --changes) {
        keys[*rc::gen::inRange<std::size_t>(0, keys.size())] = *rc::gen::inRange(0, 40);
    }
    keyswap::testing::put_text(output, lines_of_keys(keys));
    // The sentences say all of it; the rest is for programs.
    std::set<std::string> only_in_json{"config/format",
                                       "config/gpu_count",
                                       "config/zero_order",
                                       "config/nan_order",
                                       "holds",
                                       "sorted",
                                       "permutation",
                                       "guess",
                                       "guess/cause",
                                       "guess/sentence",
                                       "lost",
                                       "gained",
                                       "values[]/key",
                                       "values[]/in_input",
                                       "values[]/in_output"};
    for (std::string const file : {"input/", "output/"}) {
        only_in_json.merge(std::set<std::string>{file + "count", file + "sum", file + "hash"});
    }
    only_in_json.insert("config/hash_seed");
    for (std::string const content : {"lost/", "gained/"}) {
        for (char const* const field :
             {"shape", "keys", "exact", "from", "to", "sorted_index", "gpu"}) {
            only_in_json.insert(content + field);
        }
    }
    for (char const* const field : {"shape",
                                    "first_unsorted",
                                    "sorted_runs",
                                    "chunk_of_gpu",
                                    "output_file",
                                    "key_before",
                                    "key_at"}) {
        only_in_json.insert(std::string("order/") + field);
    }
    Words const words{"check", input, output, "--type", one_of<std::string>({"u32", "i64", "u8"})};
    expect_command_agrees(words, {testing::check_words, only_in_json, {}});
}

RC_GTEST_PROP(TableAndJsonOf, AMultisplitAgree, ()) {
    Words words{"multisplit"};
    add(words, keys_of("u32", 5000));
    add(words, {"--buckets", number_in(1, 40)});
    if (*rc::gen::arbitrary<bool>()) {
        add(words, {"--method", "all"});
    }
    expect_command_agrees(words,
                          {testing::multisplit_words,
                           {"config/method",
                            "config/backend",
                            "config/values",
                            "starts[]",
                            "counts[]",
                            "holds",
                            "stable_output/count",
                            "stable_output/hash",
                            "methods[]/tile_keys",
                            "methods[]/table/count",
                            "methods[]/table/hash",
                            "methods[]/output/count",
                            "methods[]/output/hash"}});
}

RC_GTEST_PROP(TableAndJsonOf, AHistogramAgree, ()) {
    Words words{"histogram"};
    add(words, keys_of("u32", 5000));
    int const low = *rc::gen::inRange(0, 1'000'000'000);
    add(words,
        {"--bins",
         number_in(1, 30),
         "--range",
         std::to_string(low) + ":" + std::to_string(low + 1'000'000'000)});
    expect_command_agrees(words, {testing::histogram_words, {"config/backend"}});
}

RC_GTEST_PROP(TableAndJsonOf, ShortestPathsAgree, ()) {
    bool const all = *rc::gen::arbitrary<bool>();
    Words words{"sssp", "--graph", "grid:" + number_in(1, 12), "--seed", number_in(0, 1000)};
    if (*rc::gen::arbitrary<bool>()) {
        add(words,
            {"--method",
             one_of<std::string>({"multisplit", "bucketing", "near-far"}),
             "--device",
             one_of<std::string>({"k40c", "gtx1080", "h200"})});
    } else {
        add(words,
            {"--method", one_of<std::string>({"multisplit", "bucketing", "near-far", "dijkstra"})});
    }
    if (all) {
        words.emplace_back("--all");
    }
    expect_command_agrees(words,
                          {[&](ToldJson const& told) { return testing::sssp_words(told, all); },
                           {"config/backend",
                            "config/delta",
                            "relaxed_edges",
                            "distances/count",
                            "distances/hash",
                            "rounds[]/round",
                            "rounds[]/pending",
                            "rounds[]/frontier",
                            "rounds[]/improved",
                            "rounds[]/split",
                            "rounds[]/lower",
                            "rounds[]/counts[]"}});
}

RC_GTEST_PROP(TableAndJsonOf, ASimulationAgree, ()) {
    Words words{"simulate",
                "--keys",
                one_of<std::string>({"1", "1000", "1e6", "2e9"}),
                "--platform",
                one_of<std::string>({"dgx-a100", "ac922", "pcie-4gpu", "hgx-h200"}),
                "--algorithm",
                one_of<std::string>({"rmg-paper", "rmg-fast", "p2p-merge", "het-merge"}),
                "--gpus",
                one_of<std::string>({"0", "0,1", "0-3"}),
                "--type",
                one_of<std::string>({"u32", "u64", "f64"}),
                "--distribution",
                one_of<std::string>({"uniform", "zipf", "zero"})};
    if (*rc::gen::arbitrary<bool>()) {
        add(words, {"--values", one_of<std::string>({"32", "64"})});
    }
    if (*rc::gen::arbitrary<bool>()) {
        add(words, {"--input-on", one_of<std::string>({"local", "interleaved", "node:0"})});
    }
    if (*rc::gen::arbitrary<bool>()) {
        add(words, {"--swap", one_of<std::string>({"best", "by-node"})});
    }
    if (*rc::gen::arbitrary<bool>()) {
        add(words, {"--rate-tolerance", "0.01"});
    }
    expect_command_agrees(words,
                          {testing::simulate_words,
                           {"config/rate_tolerance",
                            "config/assume[]",
                            "links[]/saturated_ms",
                            "assumptions[]/origin",
                            "memory/buffer_bytes",
                            "memory/scratch_bytes",
                            "memory/device_bytes",
                            "memory/array_bytes",
                            "memory/host_arrays",
                            "memory/staging_bytes"}});
}

RC_GTEST_PROP(TableAndJsonOf, ASimulationOfADeviceAgree, ()) {
    auto const [device, algorithm] = one_of<std::pair<std::string, std::string>>(
        {{"knf", "split-radix"}, {"core-i7", "buffered-radix"}, {"gtx280", "split-radix"}});
    Words words{"simulate",
                "--device",
                device,
                "--algorithm",
                algorithm,
                "--keys",
                number_in(1, 100'000'000)};
    if (*rc::gen::arbitrary<bool>()) {
        add(words, {"--values", "32"});
    }
    expect_command_agrees(words, {testing::device_words, {}});
}

/// A comparison of sorts in which one thing varies: a row more is a simulation more.
Words some_comparison() {
    Words words{"whatif",
                "--keys",
                one_of<std::string>({"1000", "1e6", "1e9"}),
                "--platform",
                one_of<std::string>({"ac922", "pcie-4gpu"}),
                "--values",
                one_of<std::string>({"none", "64"})};
    add(words,
        one_of<Words>({{"--algorithm", "rmg-fast,p2p-merge"},
                       {"--algorithm", "het-merge", "--type", "u32,f64"},
                       {"--distribution", "uniform,zipf:0.5"},
                       {"--gpus", "0,1", "--gpus", "0-3"},
                       {"--gpus", "0,1", "--digit-bits", "4,8"},
                       {"--input-on", "node:0,local", "--gpus", "0-2"},
                       {"--link", "nvlink x2"},
                       {"--keys", "1e12,1000"}}));
    return words;
}

/// CSV prints six digits.
bool same_as_printed(nlohmann::json const& csv, nlohmann::json const& told) {
    if (csv.is_array()) {
        return csv.size() == told.size() &&
               std::equal(csv.begin(), csv.end(), told.begin(), same_as_printed);
    }
    if (!csv.is_number_float()) {
        return csv == told;
    }
    auto const value = told.get<double>();
    return std::abs(csv.get<double>() - value) <= 1e-6 + 1e-5 * std::abs(value);
}

RC_GTEST_PROP(CsvAndJsonOf, AComparisonOfSortsAgree, ()) {
    Words words = some_comparison();
    words.emplace_back("--csv");
    std::string const printed = run_program(words).output;
    words.back() = "--json";
    std::string const json = run_program(words).output;
    RC_ASSERT(printed.empty() == json.empty());
    if (json.empty()) {
        return; // refused, as a change of a link that the platform lacks
    }
    auto const csv = parse_sweep_csv("sweep.csv", printed);
    auto const told = nlohmann::json::parse(json);
    RC_ASSERT(csv.has_value());
    RC_ASSERT((*csv)["rows"].size() == told["rows"].size());
    for (std::size_t i = 0; i < told["rows"].size(); ++i) {
        nlohmann::json const& row = (*csv)["rows"][i];
        for (auto const& [field, value] : told["rows"][i].items()) {
            if (field != "swap_taken") { // CSV has it in the swap where that was to be found
                RC_ASSERT(row.contains(field));
                RC_ASSERT(same_as_printed(row[field], value));
            }
        }
    }
}

RC_GTEST_PROP(TableAndJsonOf, AComparisonOfSortsAgree, ()) {
    expect_command_agrees(some_comparison(),
                          {testing::whatif_words,
                           {"config/platform",
                            "config/platform_hash",
                            "config/device_profile",
                            "platforms[]/all_sets_tried",
                            "rows[]/tolerance_ppm",
                            "rows[]/fuse_ppm",
                            "rows[]/keys_most",
                            "rows[]/swap_taken",
                            "order_turns[]/name",
                            "order_turns[]/value",
                            "order_turns[]/turns_at",
                            "order_turns[]/upwards",
                            "order_turns[]/within_range",
                            "order_turns[]/fastest[]",
                            "order_turns[]/then_faster[]",
                            "verdicts[]/load",
                            "verdicts[]/fastest",
                            "verdicts[]/next",
                            "verdicts[]/intervals_overlap"},
                           {"GPUs "}, // what turns their order
                           R"( \(\d+ %\)(?=[ \n]))"});
}

RC_GTEST_PROP(TableAndJsonOf, AComparisonOfMultisplitsAgree, ()) {
    Words words{"whatif",
                "--partition",
                "--device",
                one_of<std::string>({"h200", "k40c", "h200,h100"}),
                "--keys",
                one_of<std::string>({"1000", "1e6,1e8"}),
                "--buckets",
                one_of<std::string>({"2", "8,32,256"}),
                "--type",
                one_of<std::string>({"u32", "u32,u64"}),
                "--values",
                one_of<std::string>({"none", "32", "64"}),
                "--rule",
                one_of<std::string>({"digit", "delta", "splitters"})};
    expect_command_agrees(words,
                          {testing::partition_words,
                           {"config/question", "config/devices[]", "rows[]/methods[]/stable"}});
}

std::string measurements(std::string const& name) {
    return std::string(KEYSWAP_SOURCE_DIR) + "/traces/measurements/" + name;
}

/// The heading and some of the rows.
void put_some_rows(std::string const& from, std::string const& to, int rows_most) {
    std::istringstream all(keyswap::testing::text_of(from));
    std::string text;
    std::getline(all, text);
    text += '\n';
    int const every = *rc::gen::inRange(3, 60); // twelve rows may so reach the last tables
    int rows = 0;
    std::string line;
    for (int i = *rc::gen::inRange(0, 40); rows < rows_most && std::getline(all, line); ++i) {
        if (i % every == 0) {
            text += line + '\n';
            ++rows;
        }
    }
    keyswap::testing::put_text(to, text);
}

RC_GTEST_PROP(TableAndJsonOf, AValidationOfRunsAgree, ()) {
    keyswap::testing::TemporaryFolder const folder;
    std::string const platform = one_of<std::string>({"dgx-a100", "ac922"});
    std::string const file = (folder / "runs.csv").string();
    put_some_rows(measurements(platform + ".csv"), file, 5);
    expect_command_agrees(
        {"validate",
         file,
         "--platform",
         platform,
         "--min-phase-ms",
         one_of<std::string>({"0", "1", "20"}),
         "--max-worst-error",
         one_of<std::string>({"0.01", "0.2", "9"})},
        {testing::validate_words, {"configurations[]/runs", "checked", "within_thresholds"}});
}

RC_GTEST_PROP(TableAndJsonOf, AValidationOfRatesAgree, ()) {
    keyswap::testing::TemporaryFolder const folder;
    std::string const file = (folder / "rates.csv").string();
    put_some_rows(measurements("rates.csv"), file, 12);
    std::set<std::string> only_in_json{"within_thresholds"};
    for (char const* const field : {"count", "median", "p95", "worst"}) {
        only_in_json.insert(std::string("all_but_suspect/") + field);
        for (char const* const kind :
             {"fitted", "held_out", "held_out_from_published_steps", "suspect"}) {
            only_in_json.insert(std::string("groups[]/") + kind + "/" +
                                field); // where there is none
        }
    }
    for (char const* const field :
         {"source",       "table",     "operation", "stage",          "rule",
          "distribution", "key_type",  "keys",      "from",           "line",
          "device",       "method",    "buckets",   "digit_bits",     "value_bits",
          "unit",         "published", "predicted", "relative_error", "use"}) {
        only_in_json.insert(std::string("rows[]/") + field); // only the worst are shown
    }
    expect_command_agrees(
        {"validate", file, "--max-median-error", one_of<std::string>({"0.01", "9"})},
        {testing::rates_words, only_in_json});
}

RC_GTEST_PROP(TableAndJsonOf, ABenchOfCpuSortsAgree, ()) {
    BenchOptions options;
    options.backend = "cpu";
    options.key_counts = {number_in(1, 3000), number_in(1, 3000)};
    options.types = {one_of<std::string>({"u32", "u64", "i32", "f64"})};
    options.distributions = {"uniform", "zero"};
    options.threads = static_cast<unsigned>(*rc::gen::inRange(1, 4));
    options.runs = *rc::gen::inRange(1, 5);
    std::ostringstream table;
    auto const rows = bench_cpu(options, "", &table);
    RC_ASSERT(rows.has_value());
    expect_agreement(table.str(),
                     cpu_rows_json(*rows).dump(),
                     {testing::cpu_bench_words, {"[]/steps"}, {"sort type val", "cycles:"}});
}

TEST(TableAndJsonOf, PlatformsAgree) {
    std::string const text = run_program({"topology", "list"}).output;
    std::string const json = run_program({"topology", "list", "--json"}).output;
    EXPECT_TRUE(rc::check("of the list", [&] {
        expect_agreement(
            text, json, {testing::topology_list_words, {"platforms[]/gpus", "platforms[]/hash"}});
    }));
}

RC_GTEST_PROP(TableAndJsonOf, ARecordingAgree, ()) {
    keyswap::testing::TemporaryFolder const folder;
    Words words{"record", "--command", "cp {input} {output}", "--folder", folder.path().string()};
    add(words,
        {"--distribution",
         one_of<std::string>({"uniform", "zero"}),
         "--keys",
         number_in(1, 20),
         "--seed",
         number_in(0, 1000),
         "--runs",
         number_in(1, 3),
         "--type",
         one_of<std::string>({"u32", "f64"})});
    std::set<std::string> only_in_json{"config/library",
                                       "config/function",
                                       "config/values",
                                       "holds",
                                       "interrupted",
                                       "shrunk",
                                       "cases[]/rate_95",
                                       "left_running",
                                       "first_failure/distribution",
                                       "first_failure/keys",
                                       "first_failure/last_words",
                                       "first_failure/input",
                                       "first_failure/output",
                                       "first_failure/wrong_places/count",
                                       "first_failure/wrong_places/first[]/index",
                                       "first_failure/wrong_places/first[]/found",
                                       "first_failure/wrong_places/first[]/expected",
                                       "cases[]/distribution",
                                       "cases[]/keys",
                                       "cases[]/runs",
                                       "cases[]/failures",
                                       "cases[]/rate_95[]",
                                       "cases[]/kinds/not sorted"};
    for (char const* const of : {"", "cases[]/"}) {
        for (char const* const field : {"least", "median", "most"}) {
            only_in_json.insert(std::string(of) + "times_ms/" + field);
        }
    }
    expect_command_agrees(
        words, {testing::record_words, only_in_json, {"Time per run:", "input:", "output:"}});
}

} // namespace
} // namespace keyswap::tools
