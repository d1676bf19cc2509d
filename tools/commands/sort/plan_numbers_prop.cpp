// Numbers of a plan are consistent, and equal those that a page recomputes from the plan's records.
// Options are random; RC_PARAMS="seed=..." repeats them.

#include "model/sorts/algorithm.hpp"
#include "tools/testing/program_run.hpp"
#include "tools/text/json.hpp"
#include "tools/text/number_text.hpp"
#include "traces/catalog/catalog.hpp"

#include <rapidcheck/gtest.h>

#include <algorithm>

namespace keyswap::tools {
namespace {

using Words = std::vector<std::string>;

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

/// Command line of a catalogue sort on random keys.
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

Json printed_json(Words words) {
    words.emplace_back("--json");
    ProgramRun const run = run_program(words);
    RC_LOG() << run.errors;
    return Json::parse(run.output, nullptr, false);
}

/// Invariants between the numbers of a plan.
void expect_consistent(Json const& printed) {
    auto const& plan = printed["plan"];
    if (!plan.contains("gpus")) {
        return;
    }
    auto const keys = printed["config"]["keys"].get<std::uint64_t>();
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
            bool const is_local = copy["source"] == copy["destination"];
            moved += is_local ? 0 : copy["count"].get<std::uint64_t>();
        }
        RC_ASSERT(plan["key_swap"]["moved"] == moved);
        RC_ASSERT(plan["key_swap"]["copies"] <= plan["copies"].size());
    }
}

RC_GTEST_PROP(PlanNumbers, FitEachOther, ()) {
    Words words = sort_of("plan", algorithm_of_catalogue(), 60'000);
    if (*rc::gen::arbitrary<bool>()) {
        words.emplace_back("--buckets");
    }
    if (*rc::gen::arbitrary<bool>()) {
        add(words, {"--source", one_of<std::string>({"streamed", "closed-form", "materialized"})});
    }
    Json const plan = printed_json(words);
    if (plan.is_discarded()) {
        RC_DISCARD("is refused");
    }
    expect_consistent(plan);
}

RC_GTEST_PROP(PlanNumbers, AreThoseOfAReport, ()) {
    Words words{"plan", "--keys", number_in(1, 60'000), "--gpu-count", number_in(2, 12)};
    add(words, {"--distribution", one_of<std::string>({"uniform", "zipf", "zero", "skewed"})});
    add(words, {"--seed", number_in(0, 1000), "--type", one_of<std::string>({"u32", "f64"})});
    Json const plan = printed_json(words)["plan"];
    words.front() = "report";
    Json const page = printed_json(words)["page"]["sections"][0];
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
    bool has_moves = false;
    for (auto const& answer : page["answers"]) {
        auto const text = answer.get<std::string>();
        has_moves =
            has_moves || (moved == 0 ? text == "No keys change GPUs."
                                     : text.starts_with(printed("%.1f %% of the keys change GPUs",
                                                                100 * moved / keys)));
    }
    RC_ASSERT(has_moves);
}

} // namespace
} // namespace keyswap::tools
