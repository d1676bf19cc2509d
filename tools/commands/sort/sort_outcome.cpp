#include "tools/commands/sort/sort_outcome.hpp"

#include "tools/output/json_result.hpp"
#include "tools/text/json.hpp"
#include "tools/text/number_text.hpp"
#include "tools/text/run_fields.hpp"
#include "traces/errors/try.hpp"

#include <iomanip>
#include <iostream>

namespace keyswap::tools {

namespace {

Expected<void> finish(model::KeyFileWriter* writer, std::span<std::byte const> bytes) {
    if (writer == nullptr) {
        return {};
    }
    KEYSWAP_RETURN_IF_ERROR(writer->write(bytes));
    return writer->finish();
}

/// Adds a verdict on balance: no GPU owns more keys than the sort allows.
void check_balance(model::SortPlan const& plan, SortOutcome& outcome) {
    std::uint64_t const bound = plan.owned_max();
    std::string detail;
    for (OwnershipRecord const& owner : plan.ownership()) {
        if (owner.count > bound) {
            detail = "GPU " + std::to_string(owner.gpu.value) + " owns " +
                     std::to_string(owner.count) + " keys, more than " + std::to_string(bound);
        }
    }
    outcome.verdicts.push_back({"balance", detail.empty(), detail});
}

} // namespace

RunHeader sort_run_header(SortRequest const& request,
                          model::SortPlan const& plan,
                          MultisetDigest const& content) {
    RunHeader header = model::header_of(request.config, request.algorithm->name);
    header.version = plan.trace_version();
    set_program_and_input(header, request, content);
    if (header.version > 1) {
        header.layout = plan.layout();
    }
    return header;
}

SortOutcome replay_and_check(model::SortPlan const& plan,
                             KeyMemory& memory,
                             MultisetDigest const& before,
                             TraceSink* sink) {
    SortOutcome outcome;
    if (auto const violation = plan.replay(memory.replay_memory(), sink)) {
        outcome.verdicts.push_back({violation->property, false, model::describe(*violation)});
    }
    auto const found = check_sorted_keys(memory, before);
    outcome.verdicts.insert(outcome.verdicts.end(), found.begin(), found.end());
    check_balance(plan, outcome);
    return outcome;
}

void print_verdicts(SortOutcome const& outcome, std::ostream& out) {
    for (VerdictRecord const& verdict : outcome.verdicts) {
        out << "\n  " << std::left << std::setw(12) << verdict.property << std::right
            << (verdict.holds ? "holds" : "DOES NOT HOLD: " + verdict.detail);
    }
    out << '\n';
}

void print_replayed_sort(SortRequest const& request,
                         model::SortPlan const& plan,
                         SortOutcome const& outcome,
                         AccountDetail detail,
                         std::ostream& out) {
    out << "sort: " << config_text(request) << '\n';
    write_account(plan, detail, out);
    std::string const rate =
        rate_text(request.config.key_count, request.config.element_bytes(), outcome.seconds * 1e3);
    out << "\nReplayed on the CPU in " << printed("%.2f", outcome.seconds) << " s"
        << (rate.empty() ? "" : " (" + rate + ")") << " and checked:";
    print_verdicts(outcome, out);
}

void print_sort_result(SortRequest const& request,
                       SortOutcome const& outcome,
                       MultisetDigest const& digest,
                       Json const& account) {
    Json result = json_result("sort", config_json(request));
    result["holds"] = outcome.holds();
    result["verdicts"] = document(outcome.verdicts);
    result["digest"] = document(digest);
    result["seconds"] = outcome.seconds;
    result.update(account);
    print_json(result, std::cout);
}

Expected<void>
write_sort_outputs(SortOutputs& outputs, KeyMemory& memory, SortOutcome const& outcome) {
    if (outputs.trace) {
        for (VerdictRecord const& verdict : outcome.verdicts) {
            outputs.trace->write(verdict);
        }
        KEYSWAP_RETURN_IF_ERROR(outputs.trace->finish());
    }
    if (!outcome.holds()) {
        return {};
    }
    memory.restore_keys();
    KEYSWAP_RETURN_IF_ERROR(finish(outputs.keys.get(), memory.key_bytes()));
    if (outputs.given_values) {
        return write_values(*outputs.given_values, memory.value_bytes(), *outputs.values);
    }
    return finish(outputs.values.get(), memory.value_bytes());
}

} // namespace keyswap::tools
