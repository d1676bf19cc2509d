#include "tools/report/figures/figure_files.hpp"

#include "tools/report/figures/figure.hpp"
#include "tools/report/report_page.hpp"
#include "tools/text/json.hpp"
#include "traces/errors/joined_text.hpp"
#include "traces/errors/printable_text.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <filesystem>

namespace keyswap::tools {

namespace {

constexpr int motion_frames = 12;

std::string ending_of(std::string const& path) {
    return std::filesystem::path(path).extension().string();
}

/// Figure name without its number: "matrix" for "matrix-2".
std::string kind_of(std::string const& name) {
    std::size_t const end = name.find_last_not_of("0123456789");
    bool const numbered = end != std::string::npos && end + 1 < name.size() && name[end] == '-';
    return numbered ? name.substr(0, end) : name;
}

std::vector<std::string> drawable_names(std::vector<NamedFigure> const& figures) {
    std::vector<std::string> names;
    for (NamedFigure const& named : figures) {
        if (named.figure.empty.empty()) {
            names.push_back(named.name);
        }
    }
    return names;
}

Expected<Figure const*> find_figure(std::vector<NamedFigure> const& figures,
                                    std::string const& name) {
    for (bool const drawable : {true, false}) {
        auto const found = std::ranges::find_if(figures, [&](NamedFigure const& named) {
            return named.name == name && named.figure.empty.empty() == drawable;
        });
        if (found != figures.end() && drawable) {
            return &found->figure;
        }
        std::string const others = joined_text(drawable_names(figures), ", ");
        std::string const remedy =
            others.empty() ? "give results that have figures" : "choose one of " + others;
        if (found != figures.end()) {
            return tl::unexpected(InputError{
                "--figure", "'" + name + "' has nothing to draw: " + found->figure.empty, remedy});
        }
        if (!drawable) {
            return tl::unexpected(
                InputError{"--figure", "'" + name + "' is not a figure of these results", remedy});
        }
    }
    return nullptr;
}

/// Makes titles printable: they contain names from files.
Drawing described(Figure const& figure, FigureSize size) {
    Drawing drawing = figure.draw({size, true});
    drawing.title = printable_text(figure.title);
    drawing.description = printable_text(figure.note);
    return drawing;
}

} // namespace

Expected<void> check_figures(FigureRequest const& request) {
    if (request.names.empty() && (request.out || request.size)) {
        return tl::unexpected(InputError{request.out ? "--out" : "--figure-size",
                                         "applies to a figure, but none is named",
                                         "add --figure, or name the page with --output"});
    }
    if (request.names.empty()) {
        return {};
    }
    std::set<std::string> known;
    for (FigureKind const& kind : figure_kinds()) {
        known.insert(kind.name);
    }
    for (std::string const& name : request.names) {
        if (!known.contains(kind_of(name))) {
            return tl::unexpected(InputError{"--figure",
                                             "'" + name + "' is not known",
                                             "choose one of " + joined_text(known, ", ")});
        }
    }
    if (!request.out) {
        return tl::unexpected(InputError{
            "--figure", "has no output file", "add --out FILE.svg, FILE.pdf or FILE.csv"});
    }
    std::string const ending = ending_of(*request.out);
    if (ending != ".svg" && ending != ".pdf" && ending != ".csv") {
        return tl::unexpected(InputError{"--out",
                                         "'" + *request.out + "' has no known file type",
                                         "end it with .svg, .pdf, or .csv for the numbers"});
    }
    if (ending == ".csv" && request.names.size() > 1) {
        return tl::unexpected(InputError{"--figure",
                                         "names several, but a CSV file holds one table",
                                         "name one, or end --out with .svg or .pdf"});
    }
    return {};
}

Expected<void> check_sections(FigureRequest const& request, std::set<std::string> const& sections) {
    for (std::string const& name : request.names) {
        std::set<std::string> of;
        for (FigureKind const& kind : figure_kinds()) {
            if (kind.name == kind_of(name)) {
                of.insert(kind.section);
            }
        }
        if (std::ranges::none_of(of, [&](auto const& kind) { return sections.contains(kind); })) {
            return tl::unexpected(InputError{
                "--figure",
                "'" + name + "' shows a " + *of.begin() + ", and these results have none",
                "name another figure (--list-figures), or add what it shows: a file, "
                "--platform, or several algorithms"});
        }
    }
    return {};
}

Expected<std::string> figure_file(Json const& document, FigureRequest const& request) {
    std::vector<NamedFigure> const figures = figures_of(document);
    std::string const ending = ending_of(*request.out);
    FigureSize const size = request.size == "column" ? FigureSize::column : FigureSize::page;
    std::vector<Drawing> drawings;
    for (std::string const& name : request.names) {
        KEYSWAP_TRY(auto const figure, find_figure(figures, name));
        if (ending == ".csv") {
            return csv_of(figure->table);
        }
        drawings.push_back(described(*figure, size));
    }
    Drawing const all = stacked(drawings);
    if (ending == ".svg") {
        return svg_of(all);
    }
    std::vector<Drawing> pages;
    for (int frame = 0; all.duration_s > 0.0 && frame <= motion_frames; ++frame) {
        pages.push_back(frame_of(all, static_cast<double>(frame) / motion_frames));
    }
    return pdf_of(pages.empty() ? std::vector<Drawing>{all} : pages);
}

std::string page_of(Json const& document) {
    PageFigures figures = page_figures(document);
    return report_page(document, std::move(figures.listed), figures.svgs);
}

std::string figure_list(Json const& document) {
    std::string text;
    std::string section;
    for (NamedFigure const& named : figures_of(document)) {
        if (!named.figure.empty.empty()) {
            continue;
        }
        if (named.section != section) {
            section = named.section;
            text += printable_text(section) + ":\n";
        }
        std::size_t const room = named.name.size() < 18 ? 18 - named.name.size() : 1;
        text +=
            "  " + named.name + std::string(room, ' ') + printable_text(named.figure.title) + "\n";
    }
    return text.empty() ? "These results have no figure that could be drawn.\n" : text;
}

std::string figure_kind_list() {
    std::vector<std::pair<std::string, std::set<std::string>>> sections;
    for (FigureKind const& kind : figure_kinds()) {
        auto const section =
            std::ranges::find(sections, kind.section, [](auto const& it) { return it.first; });
        if (section == sections.end()) {
            sections.push_back({kind.section, {kind.name}});
        } else {
            section->second.insert(kind.name);
        }
    }
    std::string text;
    for (auto const& [section, names] : sections) {
        text += section + ": " + joined_text(names, ", ") + '\n';
    }
    return text;
}

} // namespace keyswap::tools
