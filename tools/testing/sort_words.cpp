#include "tools/testing/command_words.hpp"

#include "tools/text/number_text.hpp"
#include "traces/catalog/catalog.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace keyswap::tools::testing {

namespace {

constexpr std::size_t rows_shown = 16; ///< of a table, unless all are asked for

std::string rest_of(std::size_t rows, bool all) {
    return all || rows <= rows_shown
               ? ""
               : "... and " + format_count(rows - rows_shown) + " more (--all lists them)\n";
}

std::vector<ToldJson> first_of(std::vector<ToldJson> rows, bool all) {
    if (!all && rows.size() > rows_shown) {
        rows.erase(rows.begin() + rows_shown, rows.end());
    }
    return rows;
}

double percent(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

AlgorithmChoice choice_of(ToldJson const& config) {
    return choose(config["algorithm"].text(), config["variant"].text()).value();
}

/// Two lines: the keys, and the sort with its parameters, which are all that no sort else has.
std::string config_words(ToldJson const& config) {
    constexpr std::array<std::string_view, 16> of_all{"algorithm",
                                                      "variant",
                                                      "keys",
                                                      "gpu_count",
                                                      "type",
                                                      "direction",
                                                      "values",
                                                      "zero_order",
                                                      "input",
                                                      "column",
                                                      "heading",
                                                      "distribution",
                                                      "parameter",
                                                      "seed",
                                                      "generator_version",
                                                      "source"};
    AlgorithmChoice const choice = choice_of(config);
    std::string text =
        input_words(config) + ", " + config["direction"].text() + ", on " +
        (choice.algorithm->gpus == GpuCounts::none ? "a CPU"
                                                   : counted(config["gpu_count"].count(), "GPU")) +
        "\n" + config["algorithm"].text();
    for (std::string name : config.names()) {
        if (std::ranges::find(of_all, name) == of_all.end()) {
            std::string const value = config[name].shown();
            std::ranges::replace(name, '_', '-');
            text += ", " + name + " " + value;
        }
    }
    return text + "\n";
}

std::string gpus_of(ToldJson const& bucket) {
    std::uint64_t const first = bucket["first_gpu"].count();
    std::uint64_t const last = bucket["last_gpu"].count();
    return first == last ? "GPU " + std::to_string(first)
                         : "GPUs " + std::to_string(first) + " to " + std::to_string(last);
}

std::string name_of(ToldJson const& bucket) {
    return bucket[bucket.has("prefix") ? "prefix" : "keys"].text();
}

std::uint64_t keys_of(ToldJson const& bucket) {
    return bucket["end"].count() - bucket["begin"].count();
}

/// Why so many passes, from the buckets that do not fit.
std::string finding_of(ToldJson const& plan, std::uint64_t keys, std::uint64_t gpus) {
    if (keys == 0) {
        return "There are no keys: nothing is partitioned, moved or sorted.";
    }
    if (gpus == 1) {
        return "One GPU holds everything: no partitioning, one sort of all bits.";
    }
    std::uint64_t const passes = plan["passes_needed"].count();
    std::string text =
        std::to_string(passes) + (passes == 1 ? " pass is needed" : " passes are needed");
    auto const buckets = plan["not_placed"].each();
    if (buckets.empty()) {
        bool const by_digits = plan["passes"].each().front().has("begin_bit");
        return text + ": after the first " + (by_digits ? "digit" : "pass") +
               " every bucket fits on one GPU.";
    }
    auto const largest = std::ranges::max_element(buckets, {}, keys_of);
    text += ": the largest bucket that spans GPUs, " + name_of(*largest) + " of pass " +
            (*largest)["pass"].shown() + ", holds " +
            printed("%.2f", percent(keys_of(*largest), keys)) + " % of all keys";
    auto const cut = static_cast<std::uint64_t>(std::ranges::count(
        buckets, "cut", [](ToldJson const& bucket) { return bucket["state"].text(); }));
    if (cut > 0) {
        text += "; " + format_count(cut) + (cut == 1 ? " key value is" : " key values are") +
                " so frequent that the last pass cuts " + (cut == 1 ? "it" : "them") +
                " at the borders";
    }
    return text + ".";
}

std::string passes_words(std::vector<ToldJson> const& passes) {
    bool const by_digits = passes.front().has("begin_bit");
    std::string text = std::string("pass ") + (by_digits ? "bits" : "ways") +
                       " refined non-empty placed spanning cut\n";
    for (ToldJson const& pass : passes) {
        text += pass["pass"].shown() + " " +
                (by_digits ? "[" + pass["end_bit"].shown() + ".." + pass["begin_bit"].shown() + ")"
                           : pass["children_most"].shown());
        for (char const* const column : {"refined", "buckets", "placed", "spanning", "cut"}) {
            text += " " + format_count(pass[column].count());
        }
        text += "\n";
    }
    return text;
}

std::string buckets_words(ToldJson const& plan, std::uint64_t keys, bool all) {
    auto const buckets = plan["not_placed"].each();
    if (buckets.empty()) {
        return "";
    }
    std::string text = "Buckets that span GPUs:\n";
    for (ToldJson const& bucket : first_of(buckets, all)) {
        text += "pass " + bucket["pass"].shown() + ", " + name_of(bucket) + ": " +
                format_count(keys_of(bucket)) + " keys (" +
                printed("%.2f", percent(keys_of(bucket), keys)) + " %), " + gpus_of(bucket) +
                (bucket["state"].text() == "cut" ? ": one key value, cut at the borders\n"
                                                 : ": refined by the next pass\n");
    }
    return text + rest_of(buckets.size(), all);
}

std::string owners_words(ToldJson const& plan, bool all) {
    std::string text = "GPU keys of chunk received sort groups bits to sort\n";
    auto const gpus = plan["gpus"].each();
    for (ToldJson const& gpu : first_of(gpus, all)) {
        std::string const least = gpu["end_bit_min"].shown();
        std::string const most = gpu["end_bit_max"].shown();
        text += gpu["gpu"].shown() + " " + format_count(gpu["keys"].count()) + " " +
                printed("%.2f", percent(gpu["keys"].count(), plan["chunk"].count())) + " % " +
                format_count(gpu["received"].count()) + " " + gpu["sort_groups"].shown() + " " +
                (least == most ? most : least + " to " + most) + "\n";
    }
    return text + rest_of(gpus.size(), all);
}

std::string partitioned_words(ToldJson const& plan, ToldJson const& config, bool all) {
    std::uint64_t const keys = config["keys"].count();
    std::string text = finding_of(plan, keys, config["gpu_count"].count()) + "\n";
    if (plan["counts"].text() == "expected") {
        text +=
            "Counts are the distribution's expected values; those of real keys differ slightly.\n";
    }
    if (auto const passes = plan["passes"].each(); !passes.empty()) {
        text += passes_words(passes) + buckets_words(plan, keys, all);
    }
    std::uint64_t const moved = plan["key_swap"]["moved"].count();
    text += owners_words(plan, all) + "Key swap: " + format_count(moved) + " of " +
            format_count(keys) + " keys (" + printed("%.1f", percent(moved, keys)) +
            " %) change GPUs in " + format_count(plan["key_swap"]["copies"].count()) +
            " merged copies.\nBalance: the fullest GPU owns " +
            format_count(plan["balance"]["most"].count()) + " keys; an even share C is " +
            format_count(plan["chunk"].count()) + ", the limit C + 2E " +
            format_count(plan["balance"]["bound"].count()) + ".\n";
    if (plan.has("buckets")) {
        text += "Final buckets in sorted order:\n";
        auto const buckets = plan["buckets"].each();
        for (ToldJson const& bucket : first_of(buckets, all)) {
            text += name_of(bucket) + " [" + bucket["begin"].shown() + ", " +
                    bucket["end"].shown() + ") " + gpus_of(bucket) +
                    (bucket["state"].text() == "cut" ? ", cut\n" : "\n");
        }
        text += rest_of(plan["bucket_count"].count(), all);
    }
    return text;
}

std::uint64_t keys_copied(ToldJson const& stage) {
    std::uint64_t keys = 0;
    for (ToldJson const& copy : stage["copies"].each()) {
        keys += copy["count"].count();
    }
    return keys;
}

std::string staged_words(ToldJson const& plan, std::uint64_t gpu_count, bool all) {
    if (plan.has("partitions")) {
        return "All keys go through " + counted(plan["partitions"].count(), "stable partition") +
               " by a digit, the lowest first.\n";
    }
    std::uint64_t const runs = plan["sorted_runs"].count();
    std::string text =
        runs > gpu_count
            ? format_count(runs) + " runs of at most " + format_count(plan["longest_run"].count()) +
                  " keys are sorted"
            : "Every GPU sorts a chunk of " + format_count(plan["chunk"].count()) + " keys";
    std::uint64_t const ways = plan["cpu_merge_ways"].count();
    if (ways > 0) {
        text += "; the CPU merges " + std::to_string(ways) + " sorted runs.\n";
    }
    auto const stages = plan["stages"].each();
    if (stages.empty()) {
        return text + (ways > 0 ? "" : ".\n");
    }
    text += (ways > 0 ? "On the GPUs " : ", then ") + std::to_string(stages.size()) +
            (stages.size() == 1 ? " stage" : " stages") +
            " of copies and merges follow.\nstage copies keys copied merges\n";
    for (std::size_t i = 0; i < first_of(stages, all).size(); ++i) {
        text += std::to_string(i + 1) + " " + std::to_string(stages[i]["copies"].each().size()) +
                " " + format_count(keys_copied(stages[i])) + " " +
                std::to_string(stages[i]["merges"].each().size()) + "\n";
    }
    return text + rest_of(stages.size(), all);
}

std::string account_words(ToldJson const& told, bool all) {
    ToldJson const plan = told["plan"];
    return plan.has("gpus") ? partitioned_words(plan, told["config"], all)
                            : staged_words(plan, told["config"]["gpu_count"].count(), all);
}

std::string plan_memory_words(ToldJson const& told) {
    if (!told.has("memory")) {
        return "";
    }
    ToldJson const memory = told["memory"];
    double const buffers = memory["buffer_bytes"].number();
    double const scratch = memory["scratch_bytes"].number();
    std::uint64_t const arrays = memory["host_arrays"].count();
    std::string text = "Memory of '" + full_name(choice_of(told["config"])) + "': ";
    if (memory["device_bytes"].count() > 0) {
        text += size_text(memory["device_bytes"].number()) + " on each GPU (" + size_text(buffers) +
                " of buffers, " + size_text(scratch) + " of scratch), ";
    }
    return text + size_text(memory["array_bytes"].number() * static_cast<double>(arrays)) +
           " of host memory" + (arrays > 1 ? " (input and output).\n" : ".\n");
}

} // namespace

std::string input_words(ToldJson const& config) {
    std::string text =
        format_count(config["keys"].count()) + " " + config["type"].text() + " keys, ";
    if (config.has("input")) {
        text += "from " + config["input"].text();
        return config.is_null("heading")
                   ? text
                   : text + " without its heading '" + config["heading"].text() + "'";
    }
    text += config["distribution"].text();
    if (!config.is_null("parameter")) {
        text += "(" + printed("%g", config["parameter"].number()) + ")";
    }
    return text + ", seed " + config["seed"].shown();
}

std::string plan_words(ToldJson const& told, bool all) {
    return "plan: " + config_words(told["config"]) +
           "keys counted: " + told["config"]["source"].text() + "\n" + account_words(told, all) +
           plan_memory_words(told);
}

std::string sort_words(ToldJson const& told) {
    std::string text = "sort: " + config_words(told["config"]);
    if (told.has("run")) {
        ToldJson const run = told["run"];
        text += "Sorted on " + run["device"].text() + " by " +
                counted(run["threads"].count(), "thread") + ", SIMD " + run["simd"].text() +
                "\nChecked by the model:\n";
    } else {
        text += account_words(told, false);
    }
    for (ToldJson const& verdict : told["verdicts"].each()) {
        text += verdict["property"].text() + " " +
                (verdict["holds"].flag() ? "holds" : "DOES NOT HOLD: " + verdict["detail"].text()) +
                "\n";
    }
    return text;
}

} // namespace keyswap::tools::testing
