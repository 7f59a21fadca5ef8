"""What schema msd keeps besides declarations: lines, answers, who asked; older layouts brought up to date."""
