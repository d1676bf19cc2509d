#include "simulator/dumps/gpu_kinds.hpp"

#include "simulator/dumps/dump_text.hpp"
#include "traces/errors/error_subject.hpp"
#include "traces/errors/hex_text.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>

namespace keyswap::simulator {
namespace {

std::string name_the_gpu() {
    return "name the GPU with " + setting("gpu") +
           ", or give four numbers: '48 GB, 864 GB/s, 142 SMs, 2520 MHz'";
}

class GpuRecognition {
  public:
    GpuRecognition(MachineDump& dump,
                   std::span<GpuEvidence const> evidence,
                   ImportOptions const& options,
                   std::string_view file)
        : dump_(dump), evidence_(evidence), options_(options), file_(file) {
        for (GpuEvidence const& one : evidence) {
            has_unknown_names_ |= !one.name.empty() && !find_gpu_sheet(one.name);
        }
    }

    Expected<void> run() {
        std::size_t const names = options_.gpu_names.size();
        if (names > 1 && names != evidence_.size()) {
            return input_error(setting("gpu"),
                               "is given " + std::to_string(names) + " times, and " + file_ +
                                   " has " + std::to_string(evidence_.size()) + " GPUs",
                               "give it once for all, or once for each GPU");
        }
        for (std::size_t i = 0; i < evidence_.size(); ++i) {
            KEYSWAP_TRY(auto kind, kind_of_gpu(i));
            dump_.gpus[i].kind = index_of(std::move(kind));
        }
        if (dump_.kinds.size() > 1) {
            dump_.note(
                "several kinds of GPU: predictions take the kernels of GPU 0's kind for all");
        }
        return {};
    }

  private:
    std::size_t index_of(GpuKind kind) {
        auto const known = std::ranges::find(
            dump_.kinds, kind.sheet.name, [](GpuKind const& one) { return one.sheet.name; });
        if (known != dump_.kinds.end()) {
            return static_cast<std::size_t>(known - dump_.kinds.begin());
        }
        dump_.kinds.push_back(std::move(kind));
        return dump_.kinds.size() - 1;
    }

    /// The GPU's name by --gpu. A single --gpu applies to GPUs whose names are unknown, or to all
    /// GPUs if every name is known.
    [[nodiscard]] std::optional<std::string> option_of(std::size_t gpu) const {
        auto const& names = options_.gpu_names;
        if (names.empty()) {
            return std::nullopt;
        }
        bool const is_left_open = has_unknown_names_ && find_gpu_sheet(evidence_[gpu].name);
        if (names.size() == 1 && is_left_open) {
            return std::nullopt;
        }
        return names.size() == 1 ? names.front() : names[gpu];
    }

    [[nodiscard]] static std::optional<GpuSheet> sheet_of_file(GpuEvidence const& evidence) {
        if (auto const named = find_gpu_sheet(evidence.name)) {
            return *named;
        }
        return evidence.pci_device ? gpu_sheet_of_pci(*evidence.pci_device) : std::nullopt;
    }

    [[nodiscard]] static std::string text_of(GpuEvidence const& evidence) {
        return evidence.name.empty() ? "device 0x" + hex_text(*evidence.pci_device, 4)
                                     : "'" + evidence.name + "'";
    }

    Expected<GpuKind> kind_of_gpu(std::size_t i) {
        GpuEvidence const& evidence = evidence_[i];
        if (evidence.name.find("MIG ") != std::string::npos) {
            return input_error(evidence.place,
                               "'" + evidence.name + "' is a part of a GPU (MIG)",
                               "switch MIG off, since a sort here takes whole GPUs");
        }
        auto const of_file = sheet_of_file(evidence);
        if (auto const option = option_of(i)) {
            auto const chosen = find_gpu_sheet(*option);
            if (!chosen) {
                auto error = chosen.error();
                error.subject = setting("gpu") + ": \'" + *option + "'";
                return tl::unexpected(std::move(error));
            }
            bool const fits = !evidence.sm || chosen->sm == 0 || *evidence.sm == chosen->sm;
            if (!fits) {
                return input_error(
                    evidence.place,
                    "the GPU has sm " + std::to_string(*evidence.sm) + ", and " + setting("gpu") +
                        " names " + chosen->name + ", which has sm " + std::to_string(chosen->sm),
                    "name the GPU that the file is of, or leave " + setting("gpu") + " out");
            }
            if (of_file && of_file->name != chosen->name) {
                dump_.note(setting("gpu") + " names " + chosen->name + ", though " +
                           text_of(evidence) + " is " + of_file->name);
            }
            return GpuKind{*chosen, ""};
        }
        if (!evidence.name.empty() && !of_file) {
            auto error = find_gpu_sheet(evidence.name).error();
            error.subject = evidence.place + ": '" + evidence.name + "'";
            error.remedy = "name it with " + setting("gpu") + ": " + error.remedy;
            return tl::unexpected(std::move(error));
        }
        if (of_file && evidence.sm && of_file->sm != *evidence.sm) {
            return input_error(evidence.place,
                               text_of(evidence) + " is " + of_file->name + " of sm " +
                                   std::to_string(of_file->sm) + ", and the file says sm " +
                                   std::to_string(*evidence.sm),
                               name_the_gpu());
        }
        if (of_file) {
            return GpuKind{*of_file, ""};
        }
        return guess(evidence);
    }

    Expected<GpuKind> guess(GpuEvidence const& evidence) {
        if (!evidence.sm) {
            GpuKind kind{*find_gpu_sheet("H100"), "no GPU is named, so H100"};
            dump_.note("no GPU is named: H100 is assumed (" + setting("gpu") + " names another)");
            return kind;
        }
        std::optional<GpuSheet> first;
        std::string others;
        for (GpuSheet const& sheet : gpu_sheets()) {
            if (sheet.sm != *evidence.sm) {
                continue;
            }
            if (first) {
                others += (others.empty() ? "" : ", ") + sheet.name;
            } else {
                first = sheet;
            }
        }
        if (!first) {
            return input_error(evidence.place,
                               "sm " + std::to_string(*evidence.sm) + " is not a known kind of GPU",
                               name_the_gpu());
        }
        std::string const sm = "sm " + std::to_string(*evidence.sm);
        dump_.note(first->name + " is assumed of " + sm +
                   (others.empty() ? "" : ", which " + others + " have too") + " (" +
                   setting("gpu") + " names another)");
        return GpuKind{*first, first->name + " because of " + sm};
    }

    MachineDump& dump_;
    std::span<GpuEvidence const> evidence_;
    ImportOptions const& options_;
    std::string file_;
    bool has_unknown_names_ = false;
};

} // namespace

Expected<void> recognise_gpus(MachineDump& dump,
                              std::span<GpuEvidence const> evidence,
                              ImportOptions const& options,
                              std::string_view file) {
    return GpuRecognition(dump, evidence, options, file).run();
}

} // namespace keyswap::simulator
