# The report: its data documents in C++, and the page that they are put into.
target_sources(
    keyswap_commands
    PRIVATE report/exports.cpp
            report/figures/bar_rows.cpp
            report/figures/calibration_figure.cpp
            report/figures/drawing.cpp
            report/figures/drawing_pdf.cpp
            report/figures/figure.cpp
            report/figures/figure_files.cpp
            report/figures/glyphs.cpp
            report/figures/animation_figure.cpp
            report/figures/operation_figures.cpp
            report/figures/palette.cpp
            report/figures/axis.cpp
            report/figures/marks.cpp
            report/figures/panel_drawing.cpp
            report/figures/plot.cpp
            report/figures/run_figures.cpp
            report/figures/simulation_figures.cpp
            report/figures/study_figures.cpp
            report/figures/sweep_figures.cpp
            report/figures/topology_figure.cpp
            report/sections/third_party_data.cpp
            report/sections/operation_data.cpp
            report/sections/phase_durations.cpp
            report/sections/platform_layout.cpp
            report/profiles/profile.cpp
            report/sections/profile_data.cpp
            report/profiles/profile_tracks.cpp
            report/sections/rates_data.cpp
            report/repeat_command.cpp
            report/report_content.cpp
            report/report_document.cpp
            report/report_files.cpp
            report/report_page.cpp
            report/sections/run_data.cpp
            report/sections/run_labels.cpp
            report/run_view.cpp
            report/sections/simulation_data.cpp
            report/sweep_csv.cpp
            report/sections/sweep_data.cpp
            report/sweep_rows.cpp
            report/sections/validation_data.cpp
            report/sections/varint_text.cpp
            report/verification.cpp)

# Exports of Nsight Systems are SQLite databases.
if(KEYSWAP_WITH_SQLITE)
    target_sources(keyswap_commands PRIVATE report/profiles/nsight_export.cpp report/profiles/sqlite_file.cpp)
    target_link_libraries(keyswap_commands PRIVATE SQLite::SQLite3)
else()
    target_sources(keyswap_commands PRIVATE report/profiles/nsight_export_absent.cpp)
endif()

# Built in, so that a report needs nothing but the program. The order here is no matter: the
# template names the parts.
include(embed_texts)
set(page_parts_source ${CMAKE_CURRENT_BINARY_DIR}/page_parts.cpp)
set(page_files
    page/template.html
    page/style.css
    page/palette.json
    page/table.js
    page/figure.js
    page/motion.js
    page/page.js
    vendor/glyphs.txt)
list(TRANSFORM page_files PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/report/)
keyswap_embed_texts(${page_parts_source} tools/report/page_parts.hpp keyswap::tools
                    simulator::EmbeddedText page_parts ${page_files})
target_sources(keyswap_commands PRIVATE ${page_parts_source})
install(FILES report/vendor/LICENSE-dejavu DESTINATION ${CMAKE_INSTALL_DOCDIR})
